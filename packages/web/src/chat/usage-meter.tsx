// The meter of an agent's context, and what the conversation cost.
import type { ContextUsage } from "@holdfast/ahp";
import type { ReactNode } from "react";
import style from "./usage-meter.module.css";

export function UsageMeter({ usage }: { readonly usage: ContextUsage }): ReactNode {
  const { usedTokens, sizeTokens, cost } = usage;
  const share = sizeTokens === 0 ? 0 : Math.min(1, usedTokens / sizeTokens);
  const words = `${tokenWords(usedTokens)} of ${tokenWords(sizeTokens)} tokens`;
  return (
    <span className={style.usage} title={words}>
      <meter min={0} max={1} value={share} high={0.85} aria-label={`Context: ${words}`} />
      <span>{Math.round(share * 100)} %</span>
      {cost !== undefined && (
        <span>
          {cost.amount.toFixed(2)} {cost.currency}
        </span>
      )}
    </span>
  );
}

function tokenWords(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)} k`;
}
