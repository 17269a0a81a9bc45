import { describe, expect, it } from "vitest";
import type { PrebuiltImage } from "../../../api/v1alpha1/prebuilt-image.ts";
import { aSandboxClass } from "../../../../test/support/builders.ts";
import type { StartInputs } from "../start/inputs.ts";
import { chooseImage } from "./choose.ts";
import { imageFingerprint } from "./fingerprint.ts";
import { secretsMac } from "./secrets-mac.ts";

const web = { name: "web", url: "https://git.example.com/acme/web.git", branch: "main" };
const api = { name: "api", url: "https://git.example.com/acme/api.git", branch: "main" };
const key = Buffer.alloc(32, 1);
const classInputs = { fingerprint: "sha256:f", classImage: "sandbox:1" };
const environment = { TOKEN: "value" };

function anImage(
  name: string,
  scope: Partial<PrebuiltImage["spec"]>,
  more: object = {},
  spec: object = {},
): PrebuiltImage {
  const of = scope.environmentRef
    ? { uid: "uid-env", repositories: [web, api] }
    : { uid: "uid-web", repositories: [web] };
  return {
    metadata: { name, namespace: "shop", uid: `uid-${name}`, creationTimestamp: "2026-05-04T10:00:00Z" },
    spec: { ...scope, sandboxClassName: "standard", serviceAccountName: "runner", suspend: false, ...spec },
    status: {
      image: {
        build: 7,
        archive: "a",
        digest: "sha256:d",
        bytes: 5,
        fingerprint: imageFingerprint(of.uid, of.repositories).fingerprint,
        commits: [{ repository: "web", commit: "a".repeat(40) }],
        runtimeVersion: 1,
        classImage: "sandbox:1",
        architecture: "amd64",
        secretsMAC: secretsMac(key, environment),
        time: "2026-05-04T10:00:00Z",
        ...more,
      },
    },
  };
}

const ofWeb = anImage("web", { repositoryRef: { name: "web" } });
const ofEnvironment = anImage("env", { environmentRef: { name: "env-1" } });

async function chosen(
  target: object,
  { repositories = [web], scopeUid = "uid-web", ...rest }: Partial<StartInputs> = {},
  images: PrebuiltImage[] = [ofWeb, ofEnvironment],
  macOf: (values: Readonly<Record<string, string>>) => Promise<string> = (values) =>
    Promise.resolve(secretsMac(key, values)),
): Promise<string | undefined> {
  const inputs = {
    sandboxClass: aSandboxClass("standard"),
    repositories,
    scopeUid,
    environment,
    ...rest,
  } as StartInputs;
  const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const owner = { metadata: { namespace: "shop", name: "s" }, spec: { target, serviceAccountName: "runner" } };
  const found = await chooseImage(
    { images: () => images, macKey: { macOf }, defaultImage: "sandbox:1", log: silent },
    owner,
    inputs,
  );
  return found && `${found.shown.name} ${found.shown.reason}`;
}

const onWeb = { repositoryRefs: [{ name: "web" }] };
const onEnvironment = { environmentRef: { name: "env-1" } };
const both = { repositories: [web, api], scopeUid: "uid-env" };
const oneOf = (more: object, spec: object = {}): PrebuiltImage[] => [
  anImage("web", { repositoryRef: { name: "web" } }, more, spec),
];

describe("the image that a session begins with (03 4.9)", () => {
  it.each([
    { name: "rows 1, 2 and 8: its Repository's", run: () => chosen(onWeb), want: "web Used" },
    { name: "row 5: its Environment's", run: () => chosen(onEnvironment, both), want: "env Used" },
    { name: "row 6: not its first Repository's", run: () => chosen(onEnvironment, both, [ofWeb]), want: undefined },
    {
      name: "row 7: none for several Repositories",
      run: () => chosen({ repositoryRefs: [{ name: "web" }, { name: "api" }] }, both),
      want: undefined,
    },
    { name: "none for no Repository", run: () => chosen({}, { repositories: [] }), want: undefined },
    {
      name: "none of another class",
      run: () => chosen(onWeb, { sandboxClass: aSandboxClass("large") }),
      want: undefined,
    },
    {
      name: "row 3: not for another branch",
      run: () => chosen(onWeb, { repositories: [{ ...web, branch: "dev" }] }),
      want: "web RepositoriesChanged",
    },
    {
      name: "row 4: not for a branch in another case",
      run: () => chosen(onWeb, { repositories: [{ ...web, branch: "Main" }] }),
      want: "web RepositoriesChanged",
    },
    {
      name: "not for a commit",
      run: () => chosen(onWeb, { repositories: [{ ...web, commit: "c".repeat(40) }] }),
      want: "web RepositoriesChanged",
    },
    {
      name: "also for a URL in another case",
      run: () => chosen(onWeb, { repositories: [{ ...web, url: web.url.replace("acme", "Acme") }] }),
      want: "web Used",
    },
    {
      name: "also one that an earlier version made of the same URL",
      run: () => chosen(onWeb, {}, oneOf({ fingerprint: imageFingerprint("uid-web", [web]).formerFingerprint })),
      want: "web Used",
    },
    {
      name: "not one that an earlier version made of another URL",
      run: () => {
        const before = [{ ...web, url: `${web.url}/` }];
        return chosen(onWeb, {}, oneOf({ fingerprint: imageFingerprint("uid-web", before).formerFingerprint }));
      },
      want: "web RepositoriesChanged",
    },
    {
      name: "not for another Repository of its name",
      run: () => chosen(onWeb, { scopeUid: "uid-other" }),
      want: "web RepositoriesChanged",
    },
    {
      name: "row 9: not for a list that was edited since",
      run: () => chosen(onEnvironment, { ...both, repositories: [api, web] }),
      want: "env RepositoriesChanged",
    },
    {
      name: "not with other secrets",
      run: () => chosen(onWeb, { environment: { TOKEN: "other" } }),
      want: "web SecretsChanged",
    },
    {
      name: "not with a secret more",
      run: () => chosen(onWeb, { environment: { TOKEN: "value", MORE: "" } }),
      want: "web SecretsChanged",
    },
    {
      name: "not in another container image",
      run: () => chosen(onWeb, { sandboxClass: aSandboxClass("standard", { image: "mine:2" }) }),
      want: "web ClassImageChanged",
    },
    {
      name: "not on another processor",
      run: () =>
        chosen(onWeb, { sandboxClass: aSandboxClass("standard", { nodeSelector: { "kubernetes.io/arch": "arm64" } }) }),
      want: "web OtherArchitecture",
    },
    {
      name: "row 10: not while it is suspended",
      run: () => chosen(onWeb, {}, oneOf({}, { suspend: true })),
      want: "web Suspended",
    },
    {
      name: "row 13: not of an older runtime",
      run: () => chosen(onWeb, {}, oneOf({ runtimeVersion: 0 })),
      want: "web RuntimeOutdated",
    },
    {
      name: "row 11: the older one while another is built",
      run: () => {
        const build = { number: 8, step: "Building", reason: "NewCommits", ...classInputs, timeoutSeconds: 1 } as const;
        return chosen(onWeb, {}, [{ ...ofWeb, status: { ...ofWeb.status, build } }]);
      },
      want: "web Used",
    },
    {
      name: "row 6: none where the Environment's could not be built",
      run: () => chosen(onEnvironment, both, [ofWeb, { ...ofEnvironment, status: {} }]),
      want: "env NoImage",
    },
    {
      name: "none before one was built",
      run: () => chosen(onWeb, {}, [{ ...ofWeb, status: {} }]),
      want: "web NoImage",
    },
    {
      name: "none where the secrets cannot be compared",
      run: () => chosen(onWeb, {}, [ofWeb], () => Promise.reject(new Error("away"))),
      want: "web LookupFailed",
    },
  ])("$name", async ({ run, want }) => {
    expect(await run()).toBe(want);
  });

  it("is the older of two of one scope and class", async () => {
    const older = {
      ...ofWeb,
      metadata: { ...ofWeb.metadata, name: "older", creationTimestamp: "2026-05-04T09:00:00Z" },
    };
    expect(await chosen(onWeb, {}, [ofWeb, older])).toBe("older Used");
  });
});
