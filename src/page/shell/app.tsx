import type { JSX } from "preact";
import { lazy, LocationProvider, Route, Router } from "preact-iso";
import { pageSession } from "../api.ts";
import { AutomationPage } from "../automations/automation-page.tsx";
import { AutomationsPage } from "../automations/automations-page.tsx";
import { useLoaded } from "../parts/load.ts";
import { Empty, Show } from "../parts/states.tsx";
import { SessionPage } from "../sessions/session-page.tsx";
import { SessionsPage } from "../sessions/sessions-page.tsx";
import { Frame } from "./frame.tsx";
import { NamespaceProvider } from "./namespace.tsx";
import { SignIn } from "./sign-in.tsx";

const AnalyticsPage = lazy(() => import("../analytics/analytics-page.tsx").then((module) => module.AnalyticsPage));
const NewAutomationPage = lazy(() =>
  import("../automations/new-automation-page.tsx").then((module) => module.NewAutomationPage),
);
const NewSecretPage = lazy(() => import("../secrets/new-secret-page.tsx").then((module) => module.NewSecretPage));

/** How often the page looks whether it is still signed in. */
const sessionMs = 60_000;

export function App(): JSX.Element {
  const { loaded, reload } = useLoaded("page", pageSession, sessionMs);
  return (
    <Show loaded={loaded} what="the page" heading="Runwright" reload={reload}>
      {(session) =>
        session.isSignedIn ? (
          <NamespaceProvider preset={session.namespace}>
            <LocationProvider>
              <Frame canSignOut={session.signIn.byToken || session.signIn.byProvider} onSignedOut={reload}>
                <Router>
                  <Route path="/" component={AutomationsPage} />
                  <Route path="/automations" component={AutomationsPage} />
                  <Route path="/automations/:id" component={AutomationPage} />
                  <Route path="/new" component={NewAutomationPage} />
                  <Route path="/new-secret" component={NewSecretPage} />
                  <Route path="/sessions" component={SessionsPage} />
                  <Route path="/sessions/:id" component={SessionPage} />
                  <Route path="/analytics" component={AnalyticsPage} />
                  <Route default component={NoSuchPage} />
                </Router>
              </Frame>
            </LocationProvider>
          </NamespaceProvider>
        ) : (
          <SignIn session={session} onSignedIn={reload} />
        )
      }
    </Show>
  );
}

function NoSuchPage(): JSX.Element {
  return (
    <>
      <h1>Not found</h1>
      <Empty>There is no such page.</Empty>
    </>
  );
}
