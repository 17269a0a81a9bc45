import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import type { PageSession } from "../../page-server/page-session.ts";
import { postToPage } from "../api.ts";
import { ActionProblem, useAction } from "../parts/action.tsx";

/** Why a sign-in at the provider did not end well, by what the address has then. */
const problems: ReadonlyMap<string, string> = new Map([
  ["?sign-in=failed", "The identity provider did not sign you in. Try again, or ask whether the cluster trusts it."],
  [
    "?sign-in=busy",
    "Too many sign-ins of your address are under way, or have failed, so yours was not tried. Try again in some seconds.",
  ],
]);

/** Asks for what proves who the person is to the cluster. */
export function SignIn({ session, onSignedIn }: { session: PageSession; onSignedIn: () => void }): JSX.Element {
  const { byToken, byProvider } = session.signIn;
  const problem = problems.get(location.search);
  return (
    <main class="sign-in">
      <h1>Runwright</h1>
      {!byToken && !byProvider && (
        <p role="alert">
          The address of this page works once. Run <code>kubectl runwright ui</code> again and open the address that it
          prints.
        </p>
      )}
      {problem !== undefined && (
        <p class="action-problem" role="alert">
          {problem}
        </p>
      )}
      {byProvider && (
        <a class="button primary" href={`/page/provider?to=${encodeURIComponent(here())}`}>
          Sign in with your identity provider
        </a>
      )}
      {byToken && <TokenForm onSignedIn={onSignedIn} />}
    </main>
  );
}

/** Where the person is, without what a sign-in that failed has left there. */
function here(): string {
  return problems.has(location.search) ? location.pathname : `${location.pathname}${location.search}`;
}

function TokenForm({ onSignedIn }: { onSignedIn: () => void }): JSX.Element {
  const id = useId();
  const [token, setToken] = useState("");
  const { isBusy, problem, run } = useAction();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        run(() =>
          postToPage("/page/sign-in", { token: token.trim() }).then(() => {
            setToken("");
            onSignedIn();
          }),
        );
      }}
    >
      <label for={id}>Kubernetes token</label>
      <input
        id={id}
        type="password"
        autocomplete="off"
        value={token}
        required
        onInput={(event) => setToken(event.currentTarget.value)}
      />
      <p class="hint">
        Such as the output of <code>kubectl create token</code>. The page may do what the token may, for an hour at
        most.
      </p>
      <button type="submit" class="primary" disabled={isBusy}>
        Sign in
      </button>
      <ActionProblem problem={problem} />
    </form>
  );
}
