import type { JSX } from "preact";
import { pushedBranches } from "../../domain/prompts/pushed-branches.ts";
import { Untrusted } from "./text.tsx";

/** Each branch that a result names. */
export function Branches({ result }: { result: Parameters<typeof pushedBranches>[0] }): JSX.Element {
  return (
    <>
      {pushedBranches(result).map(({ branch, repository }) => (
        <span key={`${repository ?? ""} ${branch}`} class="block">
          <code>
            <Untrusted text={branch} />
          </code>
          {repository !== undefined && (
            <>
              {" of "}
              <Untrusted text={repository} />
            </>
          )}
        </span>
      ))}
    </>
  );
}
