// Access to the host: keys with their ceilings, signed-in browsers, webhooks.
import { type ReactNode, useState } from "react";
import { agoWords, useNow } from "../frame/time-words.ts";
import { hostFetch } from "../host/host-fetch.ts";
import { useHost } from "../host/use-host.ts";
import { policyName } from "../session/session-words.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { Badge } from "../ui/status.tsx";
import style from "./host-page.module.css";
import { useRepeatedly } from "./polling.ts";
import { Row, Rows, Section } from "./section.tsx";

interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly ceiling?: {
    readonly agents?: readonly string[];
    readonly roots?: readonly string[];
    readonly policy: string;
  };
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

interface SignIn {
  readonly id: string;
  readonly device: string;
  readonly address: string;
  readonly lastUsedAt: string;
  /** Whether this page is signed in with it. */
  readonly isHere: boolean;
}

interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly state: "on" | "off";
  readonly waiting: number;
  readonly deadLetters: number;
  readonly lastError?: string;
}

const everyMs = 10_000;

export function AccessSection(): ReactNode {
  const [removed, setRemoved] = useState<readonly string[]>([]);
  const isLeft = ({ id }: { readonly id: string }): boolean => !removed.includes(id);
  const remove = (id: string): void => setRemoved([...removed, id]);
  const keys = useRepeatedly("/admin/keys", everyMs, readKeys)?.filter(isLeft);
  const signIns = useRepeatedly("/admin/sign-ins", everyMs, readSignIns)?.filter(isLeft);
  const webhooks = useRepeatedly("/sdk/webhooks", everyMs, readWebhooks)?.filter(isLeft);
  return (
    <>
      <Section
        title="API keys"
        text={
          <>
            For programs that use this host. Create one with <code>holdfast keys create</code>.
          </>
        }
      >
        <List items={keys} empty="No keys." label="API keys">
          {(key) => <KeyRow key={key.id} apiKey={key} onRemoved={remove} />}
        </List>
      </Section>
      <Section title="Browsers" text="Browsers that are signed in to this host.">
        <List items={signIns} empty="No browser is signed in." label="Browsers">
          {(signIn) => <SignInRow key={signIn.id} signIn={signIn} onRemoved={remove} />}
        </List>
      </Section>
      <Section title="Webhooks" text="Addresses that the host calls when something happens in your sessions.">
        <List items={webhooks} empty="No webhooks. Apps create them through the API." label="Webhooks">
          {(webhook) => <WebhookRow key={webhook.id} webhook={webhook} onRemoved={remove} />}
        </List>
      </Section>
    </>
  );
}

interface ListProps<Item> {
  readonly items: readonly Item[] | undefined;
  readonly empty: string;
  readonly label: string;
  readonly children: (item: Item) => ReactNode;
}

function List<Item>({ items, empty, label, children }: ListProps<Item>): ReactNode {
  if (items === undefined) return <p className={style.hint}>Loading…</p>;
  if (items.length === 0) return <p className={style.hint}>{empty}</p>;
  return <Rows label={label}>{items.map(children)}</Rows>;
}

function sinceWords(at: string, nowMs: number): string {
  const ago = agoWords(at, nowMs);
  return ago === "now" ? "just now" : `${ago} ago`;
}

interface RemovedProps {
  readonly onRemoved: (id: string) => void;
}

function KeyRow({ apiKey, onRemoved }: RemovedProps & { readonly apiKey: ApiKey }): ReactNode {
  const nowMs = useNow(30_000);
  const { id, name, scopes, lastUsedAt } = apiKey;
  const used = lastUsedAt === null ? "never used" : `used ${sinceWords(lastUsedAt, nowMs)}`;
  return (
    <Row
      title={
        <>
          {name}{" "}
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </>
      }
      detail={`${ceilingWords(apiKey)} · ${used}`}
      actions={
        <RemoveButton
          action="Revoke"
          name={name}
          title="Revoke this key?"
          text={`Programs that use the key “${name}” lose access at once. This cannot be undone.`}
          address={`/admin/keys/${encodeURIComponent(id)}`}
          onRemoved={() => onRemoved(id)}
        />
      }
    />
  );
}

/** The most that the sessions of a key may be allowed. */
function ceilingWords({ ceiling }: ApiKey): string {
  if (ceiling === undefined) return "may do everything";
  const { agents, roots, policy } = ceiling;
  return [
    `at most “${policyName(policy)}”`,
    agents === undefined ? "any agent" : `agents: ${agents.join(", ")}`,
    roots === undefined ? "any folder" : `in ${roots.join(", ")}`,
  ].join(" · ");
}

function SignInRow({ signIn, onRemoved }: RemovedProps & { readonly signIn: SignIn }): ReactNode {
  const nowMs = useNow(30_000);
  const { id, device, address, lastUsedAt, isHere } = signIn;
  return (
    <Row
      title={
        <>
          {device} {isHere && <Badge tone="accent">This browser</Badge>}
        </>
      }
      detail={`from ${address} · used ${sinceWords(lastUsedAt, nowMs)}`}
      actions={
        <RemoveButton
          action="Sign out"
          name={device}
          title={isHere ? "Sign out of this browser?" : "Sign this browser out?"}
          text={
            isHere
              ? "You will need to sign in again to use this page."
              : `${device} at ${address} will need to sign in again.`
          }
          address={`/admin/sign-ins/${encodeURIComponent(id)}`}
          onRemoved={() => onRemoved(id)}
        />
      }
    />
  );
}

function WebhookRow({ webhook, onRemoved }: RemovedProps & { readonly webhook: Webhook }): ReactNode {
  const { id, url, events, state, waiting, deadLetters, lastError } = webhook;
  const details = [
    events.join(", "),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ...(deadLetters > 0 ? [`${deadLetters} given up`] : []),
    ...(lastError === undefined ? [] : [lastError]),
  ];
  return (
    <Row
      title={
        <>
          <code>{url}</code> {state === "off" && <Badge tone="bad">Off</Badge>}
        </>
      }
      detail={details.join(" · ")}
      actions={
        <RemoveButton
          action="Delete"
          name={url}
          title="Delete this webhook?"
          text={`The host no longer calls ${url}, and drops the deliveries that wait.`}
          address={`/sdk/webhooks/${encodeURIComponent(id)}`}
          onRemoved={() => onRemoved(id)}
        />
      }
    />
  );
}

interface RemoveButtonProps {
  readonly action: string;
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly address: string;
  readonly onRemoved: () => void;
}

/** Asks first. */
function RemoveButton({ action, name, title, text, address, onRemoved }: RemoveButtonProps): ReactNode {
  const host = useHost();
  const [isAsking, setIsAsking] = useState(false);
  const remove = async (): Promise<void> => {
    if (await host.reportFailure(hostFetch(address, undefined, "DELETE"))) onRemoved();
  };
  return (
    <>
      <Button size="small" aria-label={`${action} ${name}…`} onClick={() => setIsAsking(true)}>
        {action}…
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={title}
          text={text}
          action={action}
          isDanger
          onConfirm={() => void remove()}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}

function readKeys(answer: unknown): readonly ApiKey[] {
  return (answer as { readonly keys: readonly ApiKey[] }).keys.filter(({ revokedAt }) => revokedAt === null);
}

function readSignIns(answer: unknown): readonly SignIn[] {
  const { signIns, current } = answer as {
    readonly signIns: readonly Omit<SignIn, "isHere">[];
    readonly current?: string;
  };
  return signIns.map((signIn) => ({ ...signIn, isHere: signIn.id === current }));
}

function readWebhooks(answer: unknown): readonly Webhook[] {
  return (answer as { readonly webhooks: readonly Webhook[] }).webhooks;
}
