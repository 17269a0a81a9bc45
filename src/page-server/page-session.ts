/** What the page asks its own server before it shows anything: `GET /page/session`. */
export interface PageSession {
  /** Whether the page's requests carry a person's token. */
  isSignedIn: boolean;
  /** How people can sign in here; neither where the server has the person's rights already. */
  signIn: { byToken: boolean; byProvider: boolean };
  /** The namespace that is shown first; empty: all. */
  namespace: string;
}
