/** What the rules below ask of a part of the program. */
interface Part {
  type: string;
  name?: string;
  callee?: Part;
  object?: Part;
  property?: Part;
  arguments?: readonly unknown[];
}

interface Context {
  options: readonly [message: string];
  report(finding: { node: Part; message: string }): void;
}

const meta = { schema: [{ type: "string" }] };

/** Rules of ours that oxlint does not have. Each is given what it says. */
export default {
  meta: { name: "runwright" },
  rules: {
    "no-current-date": {
      meta,
      create: (context: Context) => ({
        NewExpression: reporter(context, readsDate),
        CallExpression: reporter(context, readsDate),
      }),
    },
    "no-await": { meta, create: (context: Context) => ({ AwaitExpression: reporter(context, () => true) }) },
  },
};

function reporter(context: Context, isMeant: (node: Part) => boolean): (node: Part) => void {
  return (node) => {
    if (isMeant(node)) context.report({ node, message: context.options[0] });
  };
}

/** Whether it is `new Date()`, `Date()` or `Date.now()`. */
function readsDate({ type, callee, arguments: given }: Part): boolean {
  if (callee?.name === "Date") return type === "CallExpression" || given?.length === 0;
  return callee?.object?.name === "Date" && callee.property?.name === "now";
}
