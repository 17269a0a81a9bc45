import { expect, it } from "vitest";
import { tooLargeProblem } from "./session-limits.ts";

const skills = (count: number, bytes: number): { name: string; bytes: number }[] =>
  Array.from({ length: count }, (_, index) => ({ name: `s${String(index)}`, bytes }));
const MiB = 1_048_576;

it.each([
  { name: "none", sizes: [], problem: undefined },
  { name: "8: five of exactly 1 MiB", sizes: skills(5, MiB), problem: undefined },
  {
    name: "9: the same and one more of a byte",
    sizes: [...skills(5, MiB), { name: "last", bytes: 1 }],
    problem:
      "skills are 5242881 bytes, the limit is 5242880; the largest: s0 1048576, s1 1048576, s2 1048576, s3 1048576, s4 1048576",
  },
  { name: "10: 200 of 20,000 bytes", sizes: skills(200, 20_000), problem: undefined },
  { name: "as many as a status can name", sizes: skills(1_000, 1), problem: undefined },
  { name: "one more", sizes: skills(1_001, 1), problem: "skills are 1001, the limit is 1000" },
])("a session's skills (product 03 2.6): $name", ({ sizes, problem }) => {
  expect(tooLargeProblem(sizes)).toBe(problem);
});

it("the message is the same in whichever order the skills come", () => {
  const six = [...skills(5, MiB), { name: "last", bytes: 1 }];
  expect(tooLargeProblem(six.toReversed())).toBe(tooLargeProblem(six));
});
