// Settings of a session: its permissions, and the modes and options that its agent offers.
import type { ReactNode } from "react";
import type { ConfigOption, SessionAction, SessionState } from "@holdfast/ahp";
import { useHost } from "../host/use-host.ts";
import control from "../style/control.module.css";
import style from "./session-header.module.css";
import { policies, policyOf } from "./session-words.ts";

export function SessionSettings({ session }: { readonly session: SessionState }): ReactNode {
  const host = useHost();
  const set = (action: SessionAction): void => {
    void host.reportRejection(host.channel(session.resource, "session").dispatch(action));
  };
  const { modes, configOptions, runtimeOptions } = session;
  const policy = runtimeOptions.approvalPolicy;
  return (
    <span className={style.settings}>
      <Setting name="Permissions">
        <select
          className={control.select}
          aria-label="Permissions"
          value={policy ?? ""}
          onChange={(event) => {
            const approvalPolicy = policyOf(event.target.value) ?? null;
            set({ type: "session/runtimeOptionsChanged", changes: { approvalPolicy } });
          }}
        >
          {policies.map(({ value, short }) => (
            <option key={value} value={value}>
              {short}
            </option>
          ))}
        </select>
      </Setting>
      {modes !== undefined && (
        <Setting name="Mode">
          <select
            className={control.select}
            aria-label="Mode of the agent"
            value={modes.currentModeId}
            onChange={(event) => set({ type: "session/modeChanged", modeId: event.target.value })}
          >
            {modes.available.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Setting>
      )}
      {configOptions.map((option) => (
        <OptionField
          key={option.id}
          option={option}
          onSet={(value) => set({ type: "session/configChanged", config: { [option.id]: value } })}
        />
      ))}
    </span>
  );
}

interface OptionFieldProps {
  readonly option: ConfigOption;
  readonly onSet: (value: string | boolean) => void;
}

function OptionField({ option, onSet }: OptionFieldProps): ReactNode {
  if (option.type === "boolean") {
    return (
      <label className={style.flag} title={option.description}>
        <input
          type="checkbox"
          checked={option.currentValue}
          onChange={(event) => onSet(event.target.checked)}
        />
        {option.name}
      </label>
    );
  }
  return (
    <Setting name={option.name}>
      <select
        className={control.select}
        aria-label={option.name}
        title={option.description}
        value={option.currentValue}
        onChange={(event) => onSet(event.target.value)}
      >
        {option.choices.map(({ value, name }) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </Setting>
  );
}

/** A select with a visible name, which is hidden from screen readers: the select has its own label. */
function Setting({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <span className={style.setting}>
      <span aria-hidden="true">{name}</span>
      {children}
    </span>
  );
}
