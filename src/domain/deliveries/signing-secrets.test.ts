import { expect, it } from "vitest";

import { storedSigningSecrets } from "./signing-secrets.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

it.each([
  [undefined, []],
  [{}, []],
  [{ "signing-secret": base64("new") }, ["new"]],
  [{ "signing-secret": base64("new"), "previous-signing-secret": base64("old") }, ["new", "old"]],
  [{ "signing-secret": base64("new"), "previous-signing-secret": "" }, ["new"]],
  [{ "signing-secret": "" }, []],
  [{ sha256: base64("hash") }, []],
])("of %j", (data, want) => {
  expect(storedSigningSecrets(data && { data })).toEqual(want);
});
