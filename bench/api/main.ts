// The benchmark of the app API: delivery of events to readers, beside a bare server that writes the same text.
import { rounded } from "../terminal/statistics.ts";
import { DeliveryBench, type Delivery } from "./delivery.ts";

const rounds = process.argv.includes("--short") ? 3 : 9;
const say = (text: string): void => void process.stderr.write(`${text}\n`);

function tell(name: string, { ours, bare, ratio }: Delivery): Delivery {
  say(`${name}: ours ${Math.round(ours)}/s, bare ${Math.round(bare)}/s, ratio ${ratio.toFixed(2)}`);
  return { ours, bare, ratio };
}

const delivery = new DeliveryBench();
const one = tell("1 reader", await delivery.backlog({ events: 40_000, readers: 1, rounds }));
const fifty = tell("50 readers", await delivery.backlog({ events: 4000, readers: 50, rounds }));
// Here our side also applies each action and makes its text, which the bare server has ready.
const liveOne = tell("1 reader, live", await delivery.live({ events: 20_000, readers: 1, rounds }, 10));
const liveFifty = tell("50 readers, live", await delivery.live({ events: 2000, readers: 50, rounds }, 10));
await delivery.close();

console.log(
  JSON.stringify({
    sseVsBare1: rounded(one.ratio),
    sseVsBare50: rounded(fifty.ratio),
    commitAndSseVsBare1: rounded(liveOne.ratio),
    commitAndSseVsBare50: rounded(liveFifty.ratio),
    sseEventsPerSecond1: Math.round(one.ours),
    sseEventsPerSecond50: Math.round(fifty.ours),
    bareEventsPerSecond1: Math.round(one.bare),
    bareEventsPerSecond50: Math.round(fifty.bare),
    goals: { sseVsBare1: ">= 1", sseVsBare50: ">= 1" },
  }),
);
