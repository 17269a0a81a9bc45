/** A write that was carried out, and the API server's answer to it. */
export interface RecordedWrite {
  method: string;
  /** With the query. */
  path: string;
  contentType: string;
  body: string;
  status: number;
  answer: string;
}

/** A write of a script. Names and UIDs that another life has otherwise are placeholders: `{{name 0}}`, `{{uid 0}}`, `{{automation}}`. */
export interface Step {
  method: string;
  path: string;
  contentType: string;
  body: string;
}

interface Made {
  name: string;
  uid: string;
}

/**
 * The writes that one Run costs, to be repeated for others: those of nothing but this Run, carried out, without the
 * resource versions that they name. The n-th object that is created is `{{name n}}` and has `{{uid n}}`.
 */
export function makeScript(recorded: readonly RecordedWrite[], automation: string): Step[] {
  const writes = recorded.filter(({ path, status }) => status >= 200 && status < 300 && isOfARun(path));
  const made = writes.filter(({ method }) => method === "POST").map(({ answer }) => madeIn(answer));
  const placeholders = [...placeholdersOf(made), [automation, "{{automation}}"] as const]
    .filter(([text]) => text !== "")
    // One name may be the beginning of another.
    .toSorted(([one], [other]) => other.length - one.length);
  const fill = (text: string): string =>
    placeholders.reduce((filled, [own, placeholder]) => filled.replaceAll(own, placeholder), text);
  return writes.map(({ method, path, contentType, body }) => {
    return { method, path: fill(path), contentType, body: fill(withoutVersions(body)) };
  });
}

/** Whether a write is of an object of a Run's life: neither a review nor a Lease of a process. */
function isOfARun(path: string): boolean {
  if (/\/(?:token|selfsubject|subjectaccess|selfsubjectaccess)reviews?(?:\?|$)/.test(path)) return false;
  return !path.includes("/leases") || path.includes("/namespaces/sessions/leases");
}

/** The first object of a name gives it; a Lease has that of its Secret. */
function placeholdersOf(made: readonly Made[]): (readonly [own: string, placeholder: string])[] {
  const names = new Map<string, string>();
  made.forEach(({ name }, index) => {
    if (!names.has(name)) names.set(name, `{{name ${index}}}`);
  });
  return [...names, ...made.map(({ uid }, index) => [uid, `{{uid ${index}}}`] as const)];
}

function madeIn(answer: string): Made {
  const { metadata } = JSON.parse(answer) as { metadata?: Partial<Made> };
  return { name: metadata?.name ?? "", uid: metadata?.uid ?? "" };
}

function withoutVersions(body: string): string {
  if (body === "") return "";
  return JSON.stringify(JSON.parse(body), (key, value: unknown) => (key === "resourceVersion" ? undefined : value));
}
