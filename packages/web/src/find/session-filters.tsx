// The filters above the list of sessions: project, agent, state.
import { FilterIcon, XIcon } from "@primer/octicons-react";
import type { SessionSummary } from "@holdfast/ahp";
import { type ReactNode, useState } from "react";
import { IconButton } from "../ui/button.tsx";
import { Picker } from "../ui/picker.tsx";
import { isFiltering, noFilter, projectsOf, type SessionFilter } from "./session-filter.ts";
import style from "./session-filters.module.css";

interface SessionFiltersProps {
  readonly sessions: readonly SessionSummary[];
  readonly filter: SessionFilter;
  readonly onChange: (filter: SessionFilter) => void;
}

const states = [
  { value: "", label: "Any state" },
  { value: "needs-you", label: "Needs you" },
  { value: "running", label: "Running" },
  { value: "unread", label: "Unread" },
  { value: "idle", label: "Idle" },
  { value: "archived", label: "Archived" },
] as const;

/** A button, and the filters while it is pressed or one of them is set. */
export function SessionFilters({ sessions, filter, onChange }: SessionFiltersProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const agents = [...new Set(sessions.map(({ provider }) => provider))].toSorted();
  const isSet = isFiltering(filter);
  if (!isOpen && !isSet) {
    return (
      <IconButton size="small" label="More filters" icon={<FilterIcon />} onClick={() => setIsOpen(true)} />
    );
  }
  return (
    <div className={style.filters} role="group" aria-label="Filters">
      <Picker
        label="Project"
        value={filter.project}
        options={[
          { value: "", label: "Any project" },
          ...projectsOf(sessions).map(({ path, name }) => ({ value: path, label: name, detail: path })),
        ]}
        onChange={(project) => onChange({ ...filter, project })}
      />
      <Picker
        label="Agent"
        value={filter.agent}
        options={[{ value: "", label: "Any agent" }, ...agents.map((id) => ({ value: id, label: id }))]}
        onChange={(agent) => onChange({ ...filter, agent })}
      />
      <Picker
        label="State"
        value={filter.state}
        options={states}
        onChange={(value) => {
          const state = states.find((each) => each.value === value)?.value ?? "";
          onChange({ ...filter, state });
        }}
      />
      <IconButton
        size="small"
        label="Clear filters"
        icon={<XIcon />}
        onClick={() => {
          onChange(noFilter);
          setIsOpen(false);
        }}
      />
    </div>
  );
}
