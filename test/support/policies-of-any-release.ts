import type { Manifest } from "./manifests.ts";

/** What a namespace is to a release. */
export type Place = "release" | "keys" | "sessions" | "tokens";

const placeLabel = "tests.runwright.dev/place";

/** By which the policies of {@link policiesOfAnyRelease} know the namespaces of releases. */
export function labelsOf(place: Place | undefined): Record<string, string> {
  return place === undefined ? {} : { [placeLabel]: place };
}

type PolicyManifest = Manifest & { spec: { matchConstraints: { namespaceSelector?: object } } };

const shippedNamespaces: Readonly<Record<string, Place>> = {
  "runwright-system": "release",
  "runwright-system-runwright-keys": "keys",
  "runwright-system-runwright-sessions": "sessions",
  "runwright-system-runwright-tokens": "tokens",
};
const nameLabel = "kubernetes.io/metadata.name";
const ofOne = /request\.userInfo\.username == 'system:serviceaccount:runwright-system:runwright-(\w+)'/g;
const notOfOne = /request\.userInfo\.username != 'system:serviceaccount:runwright-system:runwright-(\w+)'/g;
const inOne = "request.namespace == 'runwright-system' && ";
const inPrivate = /request\.namespace == '(runwright-system-runwright-\w+)'/g;
const audience = /([\w.]+) in \['runwright-sandbox\.runwright-system\.runwright', /g;
const ofSome = /request\.userInfo\.username in \[([^\]]+)\]/g;
const shippedUser = /'system:serviceaccount:runwright-system:runwright-(\w+)'/g;

/**
 * The shipped policies as they are for the processes of whichever release: many of them share the API server of the tests, each with namespaces and accounts
 * of its own. Throws where something of the shipped release is left in them.
 */
export function policiesOfAnyRelease(policies: readonly Manifest[]): Manifest[] {
  return policies.map((policy) => {
    const text = JSON.stringify(policy, (_key, value: unknown) => inAnyRelease(value));
    const left = /"expression":"(?:[^"\\]|\\.)*runwright-system|"kubernetes\.io\/metadata\.name":"[^"]*"/.exec(text);
    if (left) throw new Error(`${policy.metadata.name} still says ${left[0]}`);
    const shared = JSON.parse(text) as PolicyManifest;
    if (JSON.stringify(policy).includes(inOne)) {
      shared.spec.matchConstraints.namespaceSelector = { matchLabels: labelsOf("release") };
    }
    return shared;
  });
}

function inAnyRelease(value: unknown): unknown {
  if (typeof value === "string") return textInAnyRelease(value);
  if (typeof value !== "object" || value === null || !(nameLabel in value)) return value;
  const place = shippedNamespaces[String(value[nameLabel])];
  return place === undefined ? value : { [placeLabel]: place };
}

function textInAnyRelease(text: string): string {
  return text
    .replaceAll(ofOne, (_whole, name: string) => isOneOf(name))
    .replaceAll(notOfOne, (_whole, name: string) => `!${isOneOf(name)}`)
    .replaceAll(ofSome, namesOf)
    .replaceAll(audience, (_whole, claim: string) => `${claim}.matches('^runwright-sandbox[.]') || ${claim} in [`)
    .replaceAll(inOne, "")
    .replaceAll(inPrivate, (_whole, namespace: string) => isPlace(shippedNamespaces[namespace]));
}

function isPlace(place: Place | undefined): string {
  const own = "namespaceObject.metadata.labels";
  return `(has(${own}) && '${placeLabel}' in ${own} && ${own}['${placeLabel}'] == '${place}')`;
}

function namesOf(whole: string, users: string): string {
  const names = [...users.matchAll(shippedUser)].map(([, name]) => name);
  return names.length === 0 ? whole : isOneOf(names.join("|"));
}

/** Accounts of Kubernetes itself have such names, too, as `namespace-controller` has. */
function isOneOf(names: string): string {
  const user = "request.userInfo.username";
  return `(${user}.matches('^system:serviceaccount:[^:]+:[^:]+-(${names})$') && !${user}.startsWith('system:serviceaccount:kube-system:'))`;
}
