// Usage: tokens by day, and cost, as agents reported them.
import { type ReactNode, useMemo } from "react";
import { Notice } from "../ui/notice.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import style from "./host-page.module.css";
import { useRepeatedly } from "./polling.ts";
import { Section } from "./section.tsx";
import { byAgent, byDay, reportedTokens, tokenWords, type Usage } from "./usage.ts";

const everyMs = 30_000;

export function UsageSection(): ReactNode {
  const usage = useRepeatedly("/admin/usage?days=30", everyMs, readUsage);
  if (usage === undefined) return <p className={style.hint}>Loading usage…</p>;
  if (usage.days.length === 0) {
    return (
      <EmptyState title="No turns in the last 30 days">
        Tokens and cost appear here as agents report them.
      </EmptyState>
    );
  }
  return <KnownUsage usage={usage} />;
}

function KnownUsage({ usage }: { readonly usage: Usage }): ReactNode {
  const days = useMemo(() => byDay(usage), [usage]);
  const agents = useMemo(() => byAgent(usage), [usage]);
  const total = days.reduce((sum, { totalTokens }) => sum + totalTokens, 0);
  const turnCount = days.reduce((sum, { turns }) => sum + turns, 0);
  // Where no agent reports tokens, the turns are still worth a look.
  const isReported = total > 0;
  const heightOf = (day: (typeof days)[number]): number => (isReported ? day.totalTokens : day.turns);
  const most = Math.max(1, ...days.map(heightOf));
  const sum = isReported ? `${tokenWords(total)} tokens` : turnWords(turnCount);
  return (
    <>
      <Section
        title="Last 30 days"
        text="By day in UTC, from the sessions that are kept. For agents that report no tokens, only turns are counted."
      >
        <p className={style.big}>{sum}</p>
        <div className={style.bars} role="img" aria-label={`By day, ${sum} in all`}>
          {days.map((each) => (
            <span
              key={each.day}
              className={style.bar}
              title={`${each.day}: ${tokenWords(each.totalTokens)} tokens, ${turnWords(each.turns)}`}
              style={{ height: `${Math.max(each.turns > 0 ? 3 : 0, (heightOf(each) / most) * 100)}%` }}
            />
          ))}
        </div>
        <div className={style.barEnds}>
          <span>{days[0]?.day}</span>
          <span>{days.at(-1)?.day}</span>
        </div>
      </Section>
      <Section title="By agent">
        <div className={style.scroll} tabIndex={0} role="region" aria-label="Usage by agent">
          <table className={style.table}>
            <thead>
              <tr>
                <th scope="col">Agent</th>
                <th scope="col" data-number="">
                  Turns
                </th>
                <th scope="col" data-number="">
                  Input tokens
                </th>
                <th scope="col" data-number="">
                  Output tokens
                </th>
                <th scope="col" data-number="">
                  Total tokens
                </th>
                <th scope="col" data-number="">
                  Cost
                </th>
              </tr>
            </thead>
            <tbody>
              {agents.map(({ agent, turns, inputTokens, outputTokens, totalTokens, cost }) => (
                <tr key={agent}>
                  <td>{agent}</td>
                  <td data-number="">{turns}</td>
                  <td data-number="">{reportedTokens(inputTokens)}</td>
                  <td data-number="">{reportedTokens(outputTokens)}</td>
                  <td data-number="">{reportedTokens(totalTokens)}</td>
                  <td data-number="">{cost}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <p className={style.hint}>
          Cost is what agents reported for sessions with activity in these days; it may include earlier turns
          of them.
        </p>
      </Section>
      {!usage.isComplete && <Notice>There were too many sessions or turns to read all of them.</Notice>}
    </>
  );
}

function turnWords(count: number): string {
  return count === 1 ? "1 turn" : `${count} turns`;
}

function readUsage(answer: unknown): Usage {
  return (answer as { readonly usage: Usage }).usage;
}
