import type { Group } from "../support/attempt.ts";

const names = [
  "have a privilege",
  "have the runtime's user",
  "become root by a setuid program",
  "become root in a user namespace",
  "mount a file system",
  "enter the namespaces of another process",
  "give a file to root",
  "make a device",
  "open a raw socket",
  "change its root folder",
  "read the kernel's log",
  "write system files",
  "write the kernel's settings",
  "read a token in files or processes",
  "see processes of the runtime",
  "see processes of neighbours",
  "read the runtime's token by its path",
  "push input into its own terminal (TIOCSTI)",
  "push input into another terminal (TIOCSTI)",
  "change the skills",
  "put its own socket in the runtime's place",
];

/** The kernel refuses all of these, and counts none. */
export const inside: Group = {
  title: "the agent, in its container, cannot",
  file: "groups/inside.ts",
  attempts: [
    ...names.map((name) => ({ name })),
    // That a container without terminals or perl refuses all of it would show nothing.
    { name: "run the tools of these attempts", outcome: "succeeded", isControl: true },
  ],
  run: ({ attacker }) => attacker.report("inside.mjs"),
};
