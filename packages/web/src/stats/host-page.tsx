// Page of the host: settings, agents, permissions, access, usage, activity, system.
import { type ReactNode, useEffect } from "react";
import { goTo, type HostSection, hostSections } from "../frame/route.ts";
import { Button } from "../ui/button.tsx";
import { TabPanel, Tabs } from "../ui/tabs.tsx";
import { AccessSection } from "./access-section.tsx";
import { AgentsSection } from "./agents-section.tsx";
import { AuditTail } from "./audit.tsx";
import style from "./host-page.module.css";
import { PermissionsSection } from "./permissions-section.tsx";
import { SettingsSection } from "./settings-section.tsx";
import { SystemSection } from "./system-section.tsx";
import { UsageSection } from "./usage-section.tsx";

const labels: Readonly<Record<HostSection, string>> = {
  settings: "Settings",
  agents: "Agents",
  permissions: "Permissions",
  access: "Access",
  usage: "Usage",
  activity: "Activity",
  system: "System",
};

const views: Readonly<Record<HostSection, () => ReactNode>> = {
  settings: SettingsSection,
  agents: AgentsSection,
  permissions: PermissionsSection,
  access: AccessSection,
  usage: UsageSection,
  activity: AuditTail,
  system: SystemSection,
};

export default function HostPage({ section }: { readonly section: HostSection }): ReactNode {
  const View = views[section];
  useEffect(() => {
    // On a phone the row of tabs is wider than the screen.
    document.getElementById(`tab-${section}`)?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [section]);
  return (
    <div className={style.page}>
      <header className={style.head}>
        <h1>Host</h1>
        <span className={style.signOut}>
          <Button size="small" onClick={() => void signOut()}>
            Sign out
          </Button>
        </span>
      </header>
      <div className={style.tabs}>
        <Tabs<HostSection>
          label="Sections of the host"
          tabs={hostSections.map((id) => ({ id, label: labels[id] }))}
          current={section}
          onChange={(id) => goTo({ place: "host", section: id })}
        />
      </div>
      <TabPanel id={section}>
        <div className={style.content} tabIndex={0}>
          <div className={style.column}>
            <View />
          </div>
        </div>
      </TabPanel>
    </div>
  );
}

/** Ends this browser's sign-in, whatever becomes of the answer: the page that asks for one follows. */
async function signOut(): Promise<void> {
  try {
    await fetch("/sign-out", { method: "POST", headers: { "x-holdfast-page": "1" }, redirect: "manual" });
  } finally {
    location.assign("/");
  }
}
