import type { Clock } from "./clock.ts";
import type { RsaSigner } from "./rsa-signer.ts";

/** An App of GitHub's and its private RSA key in PEM form. */
export interface AppKey {
  appId: number;
  key: string;
  /** Whose key it is, such as a namespace. */
  sharer: string;
}

/** Seconds for which GitHub takes a token; ten minutes at most. */
const lifetimeSeconds = 600;
/** Seconds by which our clock may be ahead of GitHub's. */
const marginSeconds = 30;

interface Deps {
  signer: Pick<RsaSigner, "sign">;
  clock: Pick<Clock, "now">;
}

/** Makes the tokens with which an App proves who it is, as the option `createJwt` of `@octokit/auth-app` wants them. */
export function appJwt({ signer, clock }: Deps, { appId, key, sharer }: AppKey) {
  return async (
    _appId: string | number,
    differenceSeconds = 0,
  ): Promise<{
    jwt: string;
    expiresAt: string;
  }> => {
    const iat = Math.floor(clock.now().getTime() / 1_000) + differenceSeconds - marginSeconds;
    const exp = iat + lifetimeSeconds;
    const unsigned = `${encoded({ alg: "RS256", typ: "JWT" })}.${encoded({ iat, exp, iss: appId })}`;
    const jwt = `${unsigned}.${await signer.sign(unsigned, { key, sharer })}`;
    return { jwt, expiresAt: new Date(exp * 1_000).toISOString() };
  };
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
