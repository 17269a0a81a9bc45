import { expect, it } from "vitest";
import { aSession } from "../../../test/support/builders.ts";
import { Gatekeeper } from "./gatekeeper.ts";

it("asks the API server nothing about a session that it does not know, and for another as its namespace", async () => {
  const asked: [token: string, sharer: string][] = [];
  const gatekeeper = new Gatekeeper({
    reviews: {
      review({ token, sharer }) {
        asked.push([token, sharer]);
        return Promise.resolve(undefined);
      },
    },
    audience: "a",
    owner: (uid) => (uid === "1a" ? aSession({ metadata: { uid, namespace: "demo" } }) : undefined),
  });
  const ask = (uid: string) =>
    gatekeeper.judge({ url: `/sandbox/v1/sessions/${uid}/attempts/1`, headers: { authorization: `Bearer ${uid}` } });

  expect(await ask("2b")).toMatchObject({ refuse: { status: 503, code: "SessionUnknown" } });
  expect(await ask("1a")).toMatchObject({ refuse: { status: 503, code: "TokenNotAccepted" } });
  expect(asked).toEqual([["1a", "demo"]]);
});
