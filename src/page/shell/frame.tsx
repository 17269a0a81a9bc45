import type { ComponentChildren, JSX } from "preact";
import { useLocation } from "preact-iso";
import { api, bodyOf, postToPage } from "../api.ts";
import { ActionProblem, useAction } from "../parts/action.tsx";
import { useLoaded } from "../parts/load.ts";
import { Untrusted } from "../parts/text.tsx";

const pages = [
  ["/automations", "Automations"],
  ["/sessions", "Sessions"],
  ["/analytics", "Analytics"],
] as const;

const callerMs = 60_000;

/** What stands around every page. */
export function Frame({
  canSignOut,
  onSignedOut,
  children,
}: {
  canSignOut: boolean;
  onSignedOut: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const { path } = useLocation();
  const { loaded } = useLoaded("caller", () => bodyOf(api.GET("/caller")), callerMs);
  const { isBusy, problem, run } = useAction();
  const signOut = (): void => run(() => postToPage("/page/sign-out", {}).then(onSignedOut));
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <a class="brand" href="/automations">
          Runwright
        </a>
        <nav aria-label="Pages">
          {pages.map(([href, name]) => (
            <a key={href} href={href} aria-current={isBelow(path, href) ? "page" : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <span class="person">
          {loaded.state === "full" && (
            <span title="Who you are to the cluster">
              <Untrusted text={loaded.value.username} />
            </span>
          )}
          {canSignOut && (
            <button type="button" class="small" disabled={isBusy} onClick={signOut}>
              Sign out
            </button>
          )}
        </span>
      </header>
      <ActionProblem problem={problem} />
      <main id="content">{children}</main>
    </>
  );
}

function isBelow(path: string, href: string): boolean {
  return (
    path === href ||
    path.startsWith(`${href}/`) ||
    (href === "/automations" && ["/", "/new", "/new-secret"].includes(path))
  );
}
