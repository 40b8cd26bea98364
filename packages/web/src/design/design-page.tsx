// Every token and component of the design system, in all of their states.
import {
  ArchiveIcon,
  InboxIcon,
  KebabHorizontalIcon,
  PencilIcon,
  PlusIcon,
  ShieldIcon,
  TrashIcon,
} from "@primer/octicons-react";
import { type ReactNode, useState } from "react";
import { ThemeSwitch } from "../frame/theme.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Field, TextInput, Toggle } from "../ui/field.tsx";
import { Fold } from "../ui/fold.tsx";
import { Keys } from "../ui/keys.tsx";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { Notice } from "../ui/notice.tsx";
import { Picker } from "../ui/picker.tsx";
import { Badge, stateLabels, StatusDot, type WorkState } from "../ui/status.tsx";
import { TabPanel, Tabs } from "../ui/tabs.tsx";
import style from "./design-page.module.css";

export function DesignPage(): ReactNode {
  return (
    <main className={style.page}>
      <header className={style.head}>
        <h1>Design system</h1>
        <ThemeSwitch />
      </header>
      <Colours />
      <Type />
      <Buttons />
      <Choices />
      <States />
      <Texts />
      <Overlays />
    </main>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <section className={style.section}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

const colours = [
  "paper",
  "surface",
  "raised",
  "sunken",
  "ink",
  "muted",
  "line",
  "line-strong",
  "accent",
  "accent-wash",
  "attention",
  "attention-wash",
  "bad",
  "bad-wash",
  "good",
  "good-wash",
  "added",
  "removed",
  "screen",
] as const;

function Colours(): ReactNode {
  return (
    <Section title="Colour">
      <div className={style.swatches}>
        {colours.map((name) => (
          <div key={name} className={style.swatch}>
            <span style={{ background: `var(--${name})` }} />
            {name}
          </div>
        ))}
      </div>
    </Section>
  );
}

const sizes = ["3xl", "2xl", "xl", "l", "m"] as const;

function Type(): ReactNode {
  return (
    <Section title="Type">
      {sizes.map((size) => (
        <p key={size} style={{ fontSize: `var(--text-${size})` }}>
          Nothing is lost when a client goes away
        </p>
      ))}
      <p style={{ fontSize: "var(--small)", color: "var(--muted)" }}>Small and muted, for details</p>
      <p>
        <code>npm test -- --run</code>, in code only
      </p>
    </Section>
  );
}

function Buttons(): ReactNode {
  return (
    <Section title="Buttons">
      {(["medium", "small"] as const).map((size) => (
        <div key={size} className={style.row}>
          <Button kind="primary" size={size} icon={<PlusIcon />}>
            New session
          </Button>
          <Button size={size}>Plain</Button>
          <Button kind="quiet" size={size}>
            Quiet
          </Button>
          <Button kind="danger" size={size}>
            Delete
          </Button>
          <Button size={size} disabled>
            Disabled
          </Button>
          <IconButton label="Rename" keys="R" icon={<PencilIcon />} size={size} />
          <CopyButton label={`Copy, ${size}`} text={() => "copied"} size={size} />
        </div>
      ))}
    </Section>
  );
}

const models = ["Opus", "Sonnet", "Haiku", "GPT-5", "Gemini", "Grok", "Llama", "Mistral", "Qwen"];

function Choices(): ReactNode {
  const [permission, setPermission] = useState("ask");
  const [model, setModel] = useState("sonnet");
  const [tab, setTab] = useState<"conversation" | "changes">("conversation");
  const [isOn, setIsOn] = useState(true);
  return (
    <Section title="Choices">
      <div className={style.row}>
        <Picker
          label="Permissions"
          icon={<ShieldIcon />}
          value={permission}
          onChange={setPermission}
          options={[
            { value: "ask", label: "Ask every time", detail: "The agent waits for you" },
            { value: "allow", label: "Allow all", detail: "The agent never asks" },
            { value: "deny", label: "Deny all", isDisabled: true },
          ]}
        />
        <Picker
          label="Model"
          value={model}
          onChange={setModel}
          allowsOther
          options={models.map((name) => ({ value: name.toLowerCase(), label: name }))}
        />
        <Toggle label="Thinking" isOn={isOn} onChange={setIsOn} />
      </div>
      <Tabs
        label="Views"
        current={tab}
        onChange={setTab}
        tabs={[
          { id: "conversation", label: "Conversation" },
          { id: "changes", label: "Changes", count: 3 },
        ]}
      />
      <TabPanel id={tab}>The view of {tab}.</TabPanel>
      <div className={style.columns}>
        <Field label="Folder" hint="An absolute path on the host">
          {(attributes) => <TextInput {...attributes} placeholder="/home/me/project" />}
        </Field>
        <Field label="Name" problem="The name is taken. Choose another.">
          {(attributes) => <TextInput {...attributes} defaultValue="main" />}
        </Field>
      </div>
    </Section>
  );
}

const states = Object.keys(stateLabels) as readonly WorkState[];

function States(): ReactNode {
  return (
    <Section title="States">
      <div className={style.row}>
        {states.map((state) => (
          <span key={state} className={style.row} style={{ gap: 6 }}>
            <StatusDot state={state} /> {stateLabels[state]}
          </span>
        ))}
        <StatusDot state="running" isNamed />
      </div>
      <div className={style.row}>
        {(["plain", "accent", "attention", "good", "bad"] as const).map((tone) => (
          <Badge key={tone} tone={tone}>
            {tone}
          </Badge>
        ))}
      </div>
    </Section>
  );
}

function Texts(): ReactNode {
  return (
    <Section title="Notices and folds">
      <Notice title="The host restarted">What ran has ended. Send a message to continue.</Notice>
      <Notice kind="attention" actions={<Button size="small">Sign in</Button>}>
        The agent is not signed in.
      </Notice>
      <Notice kind="problem" title="The agent did not start" actions={<Button size="small">Retry</Button>}>
        It exited with code 127.
      </Notice>
      <Fold summary="Ran 3 commands" isOpenAtFirst>
        The commands are listed here.
      </Fold>
      <EmptyState
        icon={<InboxIcon size={24} />}
        title="Nothing needs you"
        action={<Button>New session</Button>}
      >
        Approvals and questions of all sessions appear here.
      </EmptyState>
    </Section>
  );
}

function Overlays(): ReactNode {
  const [isAsking, setIsAsking] = useState(false);
  const items: readonly MenuItem[] = [
    { label: "Rename", icon: <PencilIcon />, keys: "R", onSelect: () => undefined },
    { label: "Archive", icon: <ArchiveIcon />, onSelect: () => undefined },
    "separator",
    { label: "Delete…", icon: <TrashIcon />, isDanger: true, onSelect: () => setIsAsking(true) },
  ];
  return (
    <Section title="Menu, dialog, keys">
      <div className={style.row}>
        <Menu label="Session" icon={<KebabHorizontalIcon />} items={items} align="start" />
        <Menu label="More" items={items} align="start" />
        <Keys keys={["Ctrl", "K"]} />
      </div>
      {isAsking && (
        <ConfirmDialog
          title="Delete the session?"
          text="Its history is deleted as well. This cannot be undone."
          action="Delete session"
          isDanger
          onConfirm={() => undefined}
          onClose={() => setIsAsking(false)}
        />
      )}
    </Section>
  );
}
