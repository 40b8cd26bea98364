// Reads a Dockerfile into its stages and steps, as far as ours goes.

/** One instruction: `COPY`, its options, and the rest of its line. */
export interface DockerStep {
  readonly instruction: string;
  readonly options: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What follows a `FROM`. */
export interface DockerStage {
  readonly name: string | undefined;
  readonly base: string;
  readonly steps: readonly DockerStep[];
}

/** The stages of a Dockerfile, in order. */
export function readStages(dockerfile: string): DockerStage[] {
  const stages: { name: string | undefined; base: string; steps: DockerStep[] }[] = [];
  for (const line of logicalLines(dockerfile)) {
    const step = readStep(line);
    if (step.instruction === "FROM") {
      const [base = "", , name] = step.text.split(/\s+/);
      stages.push({ name, base, steps: [] });
    } else {
      stages.at(-1)?.steps.push(step);
    }
  }
  return stages;
}

/** The steps of one kind. */
export function stepsOf({ steps }: DockerStage, instruction: string): DockerStep[] {
  return steps.filter((step) => step.instruction === instruction);
}

/** The words of a step in the form of a JSON list, such as `ENTRYPOINT` and the command of a `HEALTHCHECK`. */
export function wordsOf({ text }: DockerStep): string[] {
  return JSON.parse(text.replace(/^CMD\s+/, "")) as string[];
}

/** Lines without comments, those that end with a backslash joined with the next. */
function logicalLines(dockerfile: string): string[] {
  return dockerfile
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .join("\n")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n");
}

function readStep(line: string): DockerStep {
  const [, instruction = "", options = "", text = ""] =
    /^([A-Z]+)\s+((?:--[\w-]+=\S+\s+)*)(.*)$/.exec(line) ?? [];
  return {
    instruction,
    options: readOptions(options),
    text,
  };
}

function readOptions(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/--([\w-]+)=(\S+)/g)];
  return Object.fromEntries(pairs.map(([, key = "", value = ""]) => [key, value]));
}
