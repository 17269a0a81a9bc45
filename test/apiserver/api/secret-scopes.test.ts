import { Buffer } from "node:buffer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { globalSecretName, labels } from "../../../src/api/v1alpha1/index.ts";
import { type ApiAnswer, type ApiClient, connectApi } from "../../support/api-client.ts";
import { makeNamespace, testApi } from "../../support/cluster.ts";
import { installPolicies, shippedPolicies } from "../../support/control-plane.setup.ts";
import { type ControlPlane, startControlPlane } from "../../../hack/cluster/cluster.ts";
import { keyCases, keysOfNoSecret, type WriteCase, writeCases } from "../../fixtures/secret-cases.ts";

type Values = Readonly<Record<string, string>>;

const shop = { [labels.secretScope]: "repository", [labels.scopeName]: "shop" };

let namespace: string;
beforeAll(async () => {
  namespace = await makeNamespace("scopes");
});

function base64(values: Values): object {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value, "utf8").toString("base64")]),
  );
}

const values = (count: number, bytes = 1): Values =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`K${index}`, "x".repeat(bytes)]));

function aSecret(name: string, values: Values, labelled: object = shop): object {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, labels: labelled }, data: base64(values) };
}

/** Creates a Secret, or only tries to. */
function create(secret: object, query = "?dryRun=All"): Promise<ApiAnswer> {
  return testApi().send("POST", `/api/v1/namespaces/${namespace}/secrets${query}`, secret);
}

function refusal(message: string): object {
  return { status: 422, body: { message: expect.stringContaining(message) as unknown } };
}

describe("a key of a scope", () => {
  it.each(keyCases)("$key is judged: $refusal", async ({ key, refusal: problem }) => {
    const answer = await create(aSecret("tried", { [key]: "v" }));
    if (problem === undefined) expect(answer).toMatchObject({ status: 201 });
    else if (problem === "reserved") expect(answer).toMatchObject(refusal(`data[${key}]: this key is reserved`));
    else expect(answer).toMatchObject(refusal(`data[${key}]: a key must be letters, digits and underscores`));
  });

  it.each(keysOfNoSecret)("%j is refused by Kubernetes itself", async (key) => {
    const answer = await create(aSecret("tried", { [key]: "v" }, {}));
    expect(answer).toMatchObject({ status: 422 });
  });

  it("is really kept where it is a name that objects have by themselves", async () => {
    const values = JSON.parse('{"__proto__":"one","constructor":"two"}') as Values;
    const { body } = await create(aSecret("inherited", values), "");
    expect(Object.entries((body as { data: object }).data)).toEqual(Object.entries(base64(values)));
  });
});

describe("a write of a whole scope with", () => {
  it.each(writeCases)("$name", async ({ holds, writes, refusal: problem }: WriteCase) => {
    const want = problem === undefined ? { status: holds ? 200 : 201 } : refusal(problem);
    if (!holds) {
      expect(await create(aSecret("tried", writes))).toMatchObject(want);
      return;
    }
    const name = `holds-${writeCases.findIndex((one) => one.holds === holds && one.writes === writes)}`;
    expect(await create(aSecret(name, holds), "")).toMatchObject({ status: 201 });
    const path = `/api/v1/namespaces/${namespace}/secrets/${name}?dryRun=All`;
    expect(await testApi().send("PUT", path, aSecret(name, writes))).toMatchObject(want);
  });

  it.each([[5], [true], [{ a: 1 }], [["a"]]])(
    "%j, which is no text and refused by Kubernetes itself",
    async (value) => {
      for (const field of ["data", "stringData"]) {
        const answer = await create({ ...aSecret("tried", {}), [field]: { A: value } });
        expect({ field, ...answer }).toMatchObject({ field, status: 400 });
      }
    },
  );

  it("null, which Kubernetes makes an empty value of in stringData", async () => {
    const tried = aSecret("tried", {});
    const empty = { status: 201, body: { data: { A: "" } } };
    expect(await create({ ...tried, stringData: { A: null } })).toMatchObject(empty);
    expect(await create({ ...tried, data: { A: null } })).toMatchObject(refusal("data[A]: the value is null"));
    expect(await create({ ...aSecret("tried", {}, {}), data: { A: null } })).toMatchObject({ status: 201 });
  });

  it("a list, of which Kubernetes makes bytes in data where all of it are numbers", async () => {
    const tried = aSecret("tried", {});
    expect(await create({ ...tried, stringData: { A: [] } })).toMatchObject({ status: 400 });
    const bytes = { status: 201, body: { data: { ...base64({ B: "hi" }), A: "" } } };
    expect(await create({ ...tried, data: { A: [], B: [104, 105] } })).toMatchObject(bytes);
  });

  it("null for one of 50 keys that it holds", async () => {
    const { data } = aSecret("tried", values(50)) as { data: object };
    expect(await create(aSecret("fifty", values(50)), "")).toMatchObject({ status: 201 });
    const path = `/api/v1/namespaces/${namespace}/secrets/fifty?dryRun=All`;
    const put = { ...aSecret("fifty", {}), data: { ...data, K0: null } };
    expect(await testApi().send("PUT", path, put)).toMatchObject(refusal("data[K0]: the value is null"));
  });

  it("half of a surrogate pair, which Kubernetes stores as U+FFFD", async () => {
    const answer = await create({ ...aSecret("tried", {}), stringData: { A: "a\ud800b" } });
    expect(answer).toMatchObject({ status: 201, body: { data: base64({ A: "a\ufffdb" }) } });
  });

  it("values given as text", async () => {
    const stringData = { A: "a".repeat(16_385) };
    expect(await create({ ...aSecret("tried", {}), stringData })).toMatchObject(refusal("16385 bytes"));
  });
});

describe("the labels of a scope", () => {
  const nameLabel = labels.scopeName;
  const scopeLabel = labels.secretScope;

  it.each([
    ["repository", { [scopeLabel]: "repository", [nameLabel]: "shop" }],
    ["environment", { [scopeLabel]: "environment", [nameLabel]: "shop" }],
  ])("make it the one of a %s", async (_, labelled) => {
    expect(await create(aSecret("tried", { A: "a" }, labelled))).toMatchObject({ status: 201 });
  });

  it("make it the global one of the namespace under its one name", async () => {
    const labelled = { [scopeLabel]: "global" };
    expect(await create(aSecret(globalSecretName, { A: "a" }, labelled))).toMatchObject({ status: 201 });
    const refused = refusal("metadata.name: the Secret of scope global must be named runwright-global");
    expect(await create(aSecret("other", { A: "a" }, labelled))).toMatchObject(refused);
    expect(await create(aSecret(globalSecretName, {}, { ...labelled, [nameLabel]: "shop" }))).toMatchObject(refused);
  });

  it.each([
    ["another scope", { [scopeLabel]: "team", [nameLabel]: "shop" }, "must be one of global, repository, environment"],
    ["no name", { [scopeLabel]: "repository" }, `${nameLabel}]: must name the repository`],
    ["an empty name", { [scopeLabel]: "environment", [nameLabel]: "" }, `${nameLabel}]: must name the environment`],
  ])("are refused with %s", async (_, labelled, message) => {
    expect(await create(aSecret("tried", { A: "a" }, labelled))).toMatchObject(refusal(message));
  });

  it("have what is there already judged when they are added, and no longer when they go", async () => {
    await create(aSecret("late", { PATH: "/bin" }, {}), "");
    const path = `/api/v1/namespaces/${namespace}/secrets/late`;
    const labelling = { metadata: { labels: shop } };
    expect(await testApi().send("PATCH", path, labelling)).toMatchObject(refusal("data[PATH]: this key is reserved"));
    await create(aSecret("former", { A: "a" }), "");
    const leaving = { metadata: { labels: { [scopeLabel]: null } }, data: base64({ PATH: "/bin" }) };
    const former = `/api/v1/namespaces/${namespace}/secrets/former`;
    expect(await testApi().send("PATCH", former, leaving)).toMatchObject({ status: 200 });
  });

  it("are what makes a Secret a scope: others are left alone", async () => {
    expect(await create(aSecret("tried", { PATH: "a".repeat(20_000) }, {}))).toMatchObject({ status: 201 });
  });
});

describe("a scope that was stored before there was a limit", () => {
  let plane: ControlPlane;
  let api: ApiClient;
  const path = "/api/v1/namespaces/default/secrets";
  const stored: Record<string, Values> = {
    wide: values(60, 100),
    heavy: values(10, 8_000),
    long: { A: "a".repeat(20_000), B: "b" },
    odd: { PATH: "/bin", "9A": "", foo: "1", FOO: "2", B: "b" },
    wideodd: { ...values(59, 100), PATH: "/usr/bin" },
    vast: values(20_000, 13),
    huge: values(50, 5_200),
  };

  const only = (key: string): string =>
    `data[${key}]: while a scope has more than 50 keys, keys may only be removed and values only become shorter`;

  beforeAll(async () => {
    plane = await startControlPlane();
    api = connectApi(plane);
    for (const [name, held] of Object.entries(stored)) {
      const { status } = await api.send("POST", path, aSecret(name, held));
      expect({ name, status }).toEqual({ name, status: 201 });
    }
    await installPolicies(api, await shippedPolicies());
  });
  afterAll(async () => {
    await api.close();
    await plane.stop();
  });

  it.each<[string, string, Values, string?]>([
    ["fewer keys, still too many", "wide", values(59, 100)],
    ["as many keys and fewer bytes", "wide", { ...stored.wide, K0: "" }],
    [
      "as many keys and bytes",
      "wide",
      { ...stored.wide, K0: "y".repeat(100) },
      "60 keys and may have at most 50; it has 60",
    ],
    ["fewer keys, one of them reserved", "wide", { ...values(58, 100), PATH: "" }, only("PATH")],
    ["fewer keys, one of them malformed", "wide", { ...values(58, 100), "A.B": "" }, only("A.B")],
    ["fewer keys, one of them in another case", "wide", { ...values(58, 100), k0: "" }, only("k0")],
    ["fewer keys, one value too long", "wide", { ...values(59, 100), K0: "x".repeat(20_000) }, only("K0")],
    ["fewer keys, one value another", "wide", { ...values(59, 100), K0: "y".repeat(100) }, only("K0")],
    ["fewer keys, one value shorter", "wide", { ...values(59, 100), K0: "y".repeat(99) }],
    [
      "fewer keys, a shorter value with U+0000",
      "wide",
      { ...values(59, 100), K0: "\0" },
      "data[K0]: the value holds U+0000",
    ],
    ["fewer keys, a reserved one's value shorter", "wideodd", { ...values(58, 100), PATH: "/bin" }],
    [
      "as many keys as there may be, one of them reserved",
      "wide",
      { ...values(49, 100), PATH: "" },
      "data[PATH]: this key is reserved",
    ],
    ["19,999 keys of 20,000", "vast", values(19_999, 13)],
    ["19,999 keys of 20,000, all values shorter", "vast", values(19_999, 12)],
    ["19,999 keys of 20,000, one of them new", "vast", { ...values(19_998, 13), PATH: "" }, only("PATH")],
    [
      "other values, far too many bytes",
      "huge",
      Object.fromEntries(Object.keys(values(50, 0)).map((key) => [key, "y".repeat(5_199)])),
    ],
    [
      "U+0000 in a value of a scope with too many bytes",
      "heavy",
      { ...values(10, 8_000), K0: "\0" },
      "data[K0]: the value holds U+0000",
    ],
    ["more keys", "wide", values(61, 1), "61 keys and may have at most 50; it has 60 now"],
    ["fewer bytes, still too many, under more keys", "heavy", values(12, 6_000)],
    ["as many bytes under fewer keys", "heavy", values(8, 10_000)],
    ["more bytes", "heavy", values(11, 8_000), "88000 bytes together and may have at most 65536; they have 80000 now"],
    ["a shorter value, still too long", "long", { A: "a".repeat(19_999), B: "b" }],
    [
      "another value of the same length",
      "long",
      { A: "c".repeat(20_000), B: "b" },
      "data[A]: the value has 20000 bytes",
    ],
    ["a long value as it was", "long", { A: "a".repeat(20_000), B: "c" }],
    ["bad keys as they were", "odd", { ...stored.odd, B: "c" }],
    ["one bad key less", "odd", { "9A": "", foo: "1", FOO: "2", B: "b" }],
    ["a bad key with another value", "odd", { ...stored.odd, PATH: "/sbin" }, "data[PATH]: this key is reserved"],
    ["another bad key", "odd", { ...stored.odd, "A.B": "" }, "data[A.B]: a key must be"],
  ])("may be written with %s", async (_, name, writes, problem) => {
    const answer = await api.send("PUT", `${path}/${name}?dryRun=All`, aSecret(name, writes));
    expect(answer).toMatchObject(problem === undefined ? { status: 200 } : refusal(problem));
  });

  it("may get other annotations", async () => {
    const change = { metadata: { annotations: { "example.com/team": "shop" } } };
    expect(await api.send("PATCH", `${path}/wide?dryRun=All`, change)).toMatchObject({ status: 200 });
  });
});
