import type { JSX } from "preact";
import { Copy } from "./copy.tsx";

/** The YAML that a form writes, and which of its fields the API server would refuse. */
export function YamlCard({
  shown,
  copied,
  refused,
}: {
  shown: string;
  /** Left out: what is shown. */
  copied?: () => Promise<string>;
  /** Labels of fields. */
  refused: readonly string[];
}): JSX.Element {
  return (
    <section class="card">
      <h2>YAML</h2>
      <pre class="text" aria-live="polite">
        {shown}
      </pre>
      <p class="row-problem" role="status">
        {refused.length > 0 && `The API server would refuse this. Change: ${refused.join(", ")}.`}
      </p>
      <Copy text={copied ?? shown}>Copy YAML</Copy>
    </section>
  );
}
