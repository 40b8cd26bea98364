// Settings of this browser.
import { type ReactNode, useState } from "react";
import { chooseTheme, useThemeChoice } from "../frame/theme.tsx";
import { byReadiness, useAgents } from "../session/agent-catalogue.ts";
import { canAskForNotifications } from "../session/notifications.ts";
import { policies } from "../session/session-words.ts";
import { Button } from "../ui/button.tsx";
import { Picker } from "../ui/picker.tsx";
import { Row, Rows, Section } from "./section.tsx";
import { changeSettings, type TextSize, usePageSettings } from "./settings.ts";

const themes = [
  { value: "system", label: "Match system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;

const textSizes: readonly { readonly value: TextSize; readonly label: string }[] = [
  { value: "small", label: "Small" },
  { value: "medium", label: "Medium" },
  { value: "large", label: "Large" },
];

export function SettingsSection(): ReactNode {
  const { textSize, agent, policy } = usePageSettings();
  const theme = useThemeChoice();
  const agents = useAgents();
  const known =
    agents.status === "known" ? byReadiness(agents.agents).filter(({ installed }) => installed) : [];
  return (
    <>
      <Section title="Appearance" text="Kept in this browser.">
        <Rows label="Appearance">
          <Row
            title="Theme"
            actions={
              <Picker
                label="Theme"
                kind="field"
                value={theme}
                options={themes}
                onChange={(value) => {
                  const chosen = themes.find((each) => each.value === value);
                  if (chosen !== undefined) chooseTheme(chosen.value);
                }}
              />
            }
          />
          <Row
            title="Text size"
            actions={
              <Picker
                label="Text size"
                kind="field"
                value={textSize}
                options={textSizes}
                onChange={(value) => {
                  const chosen = textSizes.find((each) => each.value === value);
                  if (chosen !== undefined) changeSettings({ textSize: chosen.value });
                }}
              />
            }
          />
          <NotificationRow />
        </Rows>
      </Section>
      <Section
        title="New sessions"
        text="What a new session starts with in this browser. You can change it each time."
      >
        <Rows label="New sessions">
          <Row
            title="Agent"
            actions={
              <Picker
                label="Agent"
                kind="field"
                value={agent}
                options={[
                  { value: "", label: "Last used" },
                  ...known.map(({ id, label }) => ({ value: id, label })),
                ]}
                onChange={(value) => changeSettings({ agent: value })}
              />
            }
          />
          <Row
            title="Permissions"
            actions={
              <Picker
                label="Permissions"
                kind="field"
                value={policy}
                options={policies}
                onChange={(value) => changeSettings({ policy: value })}
              />
            }
          />
        </Rows>
      </Section>
    </>
  );
}

function NotificationRow(): ReactNode {
  const [canAsk, setCanAsk] = useState(canAskForNotifications);
  const isMissing = !("Notification" in window);
  const detail = isMissing
    ? "This browser shows notifications only on pages with a secure address."
    : Notification.permission === "denied"
      ? "Blocked in this browser's settings for this page."
      : "When an agent asks or finishes while this page is hidden.";
  return (
    <Row
      title="Notifications"
      detail={detail}
      actions={
        canAsk ? (
          <Button
            onClick={() => {
              void Notification.requestPermission().then(() => setCanAsk(canAskForNotifications()));
            }}
          >
            Allow notifications
          </Button>
        ) : (
          <span>{!isMissing && Notification.permission === "granted" ? "On" : "Off"}</span>
        )
      }
    />
  );
}
