/**
 * An `exec` agent that answers which delivery its prompt is of, and when the prompt's first byte was on its standard input, by
 * the clock of its node. It works on for so many seconds.
 */
export function agentCommand(workSeconds: number): string[] {
  const script = `IFS= read -rN1; at=$EPOCHREALTIME; echo "$(grep -o "delivery-[0-9]*" | sort -u) $at"; sleep ${workSeconds}`;
  return ["bash", "-c", script];
}

/** What the agent answered: the delivery's number, and milliseconds since 1970. Undefined for any other text. */
export function readAnswer(summary: string): { delivery: number; promptMs: number } | undefined {
  const [, delivery, seconds] = /^delivery-(\d+) (\d+[.,]\d+)$/.exec(summary.trim()) ?? [];
  if (delivery === undefined || seconds === undefined) return undefined;
  return { delivery: Number(delivery), promptMs: Number(seconds.replace(",", ".")) * 1_000 };
}
