// Search: the text of all sessions, open and closed.
import { SearchIcon } from "@primer/octicons-react";
import type { SessionSummary } from "@holdfast/ahp";
import { type ReactNode, useEffect, useState } from "react";
import { BackLink } from "../frame/back-link.tsx";
import { routeHash } from "../frame/route.ts";
import { agoWords, useNow } from "../frame/time-words.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { Picker } from "../ui/picker.tsx";
import { Badge } from "../ui/status.tsx";
import { projectsOf } from "./session-filter.ts";
import { type SearchResult, searchSessions } from "./search.ts";
import style from "./search-page.module.css";

interface SearchPageProps {
  /** Open sessions, which name the agents and folders to filter by. */
  readonly sessions: readonly SessionSummary[];
  readonly query: string;
}

type Found =
  | { readonly status: "nothing asked" }
  | { readonly status: "searching" }
  | { readonly status: "found"; readonly results: readonly SearchResult[] }
  | { readonly status: "failed"; readonly reason: string };

/** While a person types, the host is asked at most this often. */
const pauseMs = 150;

export default function SearchPage({ sessions, query: asked }: SearchPageProps): ReactNode {
  const [text, setText] = useState(asked);
  const [agent, setAgent] = useState("");
  const [folder, setFolder] = useState("");
  const found = useSearch(text, agent, folder);
  useEffect(() => setText(asked), [asked]);
  const agents = [...new Set(sessions.map(({ provider }) => provider))].toSorted();
  return (
    <div className={style.page}>
      <header className={style.head}>
        <BackLink />
        <h1>Search</h1>
      </header>
      <div className={style.controls}>
        <label className={style.field}>
          <SearchIcon />
          <input
            type="search"
            aria-label="Search all sessions"
            placeholder="Titles, messages, commands, output"
            autoFocus
            value={text}
            onChange={({ target }) => {
              setText(target.value);
              // The address follows without an entry in the history for every letter.
              history.replaceState(null, "", routeHash({ place: "search", query: target.value }));
            }}
          />
        </label>
        <Picker
          label="Agent"
          value={agent}
          options={[{ value: "", label: "All agents" }, ...agents.map((id) => ({ value: id, label: id }))]}
          onChange={setAgent}
        />
        <Picker
          label="Project"
          value={folder}
          options={[
            { value: "", label: "All projects" },
            ...projectsOf(sessions).map(({ path, name }) => ({ value: path, label: name, detail: path })),
          ]}
          onChange={setFolder}
        />
      </div>
      <Results found={found} text={text} isFiltered={agent !== "" || folder !== ""} />
    </div>
  );
}

interface ResultsProps {
  readonly found: Found;
  readonly text: string;
  /** Whether an agent or a project is chosen. */
  readonly isFiltered: boolean;
}

function Results({ found, text, isFiltered }: ResultsProps): ReactNode {
  const nowMs = useNow(30_000);
  switch (found.status) {
    case "nothing asked":
      return (
        <EmptyState icon={<SearchIcon size={24} />} title="Search all sessions">
          Searches titles, messages, replies, commands and the last lines of their output, in open and closed
          sessions. Results contain every word; the last word can be incomplete.
        </EmptyState>
      );
    case "searching":
      return <p className={style.status}>Searching…</p>;
    case "failed":
      return (
        <p className={style.status} role="alert">
          {found.reason}
        </p>
      );
    case "found":
      if (found.results.length === 0) {
        return (
          <EmptyState icon={<SearchIcon size={24} />} title={`No results for “${text.trim()}”`}>
            {isFiltered ? "Try fewer words, or all agents and projects." : "Try fewer or other words."}
          </EmptyState>
        );
      }
      return (
        <ul className={style.results} aria-label="Results">
          {found.results.map((result, index) => (
            <li key={index}>
              <a
                className={style.result}
                href={routeHash({ place: "session", session: result.session, message: result.turnId })}
              >
                <span className={style.title}>
                  {result.turnId === undefined ? <Pieces result={result} /> : result.title || result.agent}
                </span>
                <span className={style.detail}>
                  {result.isClosed && <Badge>Closed</Badge>}
                  <span className={style.place}>
                    {[result.turnId === undefined ? "Title" : "Message", result.agent, result.folder]
                      .filter((part) => part !== "")
                      .join(" · ")}
                  </span>
                  <time dateTime={result.at}>· {agoWords(result.at, nowMs)}</time>
                </span>
                {result.turnId !== undefined && (
                  <span className={style.snippet}>
                    <Pieces result={result} />
                  </span>
                )}
              </a>
            </li>
          ))}
        </ul>
      );
  }
}

/** The text with its matches marked. */
function Pieces({ result: { pieces } }: { readonly result: SearchResult }): ReactNode {
  return pieces.map(({ text, isMatch }, index) =>
    isMatch ? (
      <mark key={index} className={style.match}>
        {text}
      </mark>
    ) : (
      text
    ),
  );
}

function useSearch(text: string, agent: string, folder: string): Found {
  const [found, setFound] = useState<Found>({ status: "nothing asked" });
  useEffect(() => {
    if (text.trim() === "") {
      setFound({ status: "nothing asked" });
      return undefined;
    }
    const stop = new AbortController();
    const filters = { agent: agent === "" ? undefined : agent, folder: folder === "" ? undefined : folder };
    // The results stay until there is something new.
    setFound((before) => (before.status === "found" ? before : { status: "searching" }));
    const timer = setTimeout(() => {
      searchSessions(text, filters, stop.signal).then(
        (results) => setFound({ status: "found", results }),
        (error: unknown) => {
          if (stop.signal.aborted) return;
          setFound({ status: "failed", reason: error instanceof Error ? error.message : String(error) });
        },
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text, agent, folder]);
  return found;
}
