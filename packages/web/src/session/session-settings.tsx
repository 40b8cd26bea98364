// Settings of a session, as pickers: its permissions, and the modes and options that its agent offers.
import { CpuIcon, ShieldIcon } from "@primer/octicons-react";
import type { ReactNode } from "react";
import type { ConfigOption, SessionAction, SessionState } from "@holdfast/ahp";
import { useHost } from "../host/use-host.ts";
import { Toggle } from "../ui/field.tsx";
import { Picker } from "../ui/picker.tsx";
import { policies, policyOf } from "./session-words.ts";

export function SessionSettings({ session }: { readonly session: SessionState }): ReactNode {
  const host = useHost();
  const set = (action: SessionAction): void => {
    void host.reportRejection(host.channel(session.resource, "session").dispatch(action));
  };
  const { modes, configOptions, runtimeOptions } = session;
  return (
    <>
      <Picker
        label="Permissions"
        icon={<ShieldIcon />}
        value={runtimeOptions.approvalPolicy ?? ""}
        options={policies}
        onChange={(value) =>
          set({
            type: "session/runtimeOptionsChanged",
            changes: { approvalPolicy: policyOf(value) ?? null },
          })
        }
      />
      {modes !== undefined && (
        <Picker
          label="Mode"
          showsLabel
          value={modes.currentModeId}
          options={modes.available.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(modeId) => set({ type: "session/modeChanged", modeId })}
        />
      )}
      {configOptions.map((option) => (
        <OptionField
          key={option.id}
          option={option}
          onSet={(value) => set({ type: "session/configChanged", config: { [option.id]: value } })}
        />
      ))}
    </>
  );
}

interface OptionFieldProps {
  readonly option: ConfigOption;
  readonly onSet: (value: string | boolean) => void;
}

function OptionField({ option, onSet }: OptionFieldProps): ReactNode {
  if (option.type === "boolean") {
    return (
      <Toggle label={option.name} isOn={option.currentValue} onChange={onSet} title={option.description} />
    );
  }
  return (
    <Picker
      label={option.name}
      icon={option.category === "model" ? <CpuIcon /> : undefined}
      showsLabel={option.category !== "model"}
      value={option.currentValue}
      options={option.choices.map(({ value, name, description }) => ({
        value,
        label: name,
        detail: description,
      }))}
      onChange={onSet}
    />
  );
}
