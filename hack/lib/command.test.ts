import { describe, expect, it } from "vitest";

import { CommandError, isOnPath, run } from "./command.ts";

describe("run", () => {
  it("gives standard output alone", async () => {
    await expect(run("sh", ["-c", "echo out; echo err >&2"])).resolves.toBe("out\n");
  });

  it("passes standard input, environment and folder", async () => {
    const options = { input: "in", env: { WORD: "word" }, cwd: "/" };
    await expect(run("sh", ["-c", 'cat; echo " $WORD $PWD"'], options)).resolves.toBe("in word /\n");
  });

  it("throws with the status and both outputs of a command that fails", async () => {
    const failure = run("sh", ["-c", "echo out; echo err >&2; exit 3"]);
    await expect(failure).rejects.toThrow(CommandError);
    await expect(failure).rejects.toMatchObject({ status: 3, message: expect.stringMatching(/out\nerr\n$/) as string });
  });

  it.each([0, 3])("goes by the status of a command that reads nothing of its input: %i", async (status) => {
    const ended = run("sh", ["-c", `exec <&-; exit ${status}`], { input: "x".repeat(1_000_000) });
    await (status === 0 ? expect(ended).resolves.toBe("") : expect(ended).rejects.toMatchObject({ status }));
  });

  it("names a program that is not there", async () => {
    await expect(run("no-such-program", [])).rejects.toThrow("could not run no-such-program");
  });

  it("hands on each whole line of standard error", async () => {
    const lines: string[] = [];
    await run("sh", ["-c", "printf 'one\\ntw' >&2; printf 'o\\n' >&2"], { onErrorLine: (line) => lines.push(line) });
    expect(lines).toEqual(["one", "two"]);
  });
});

describe("isOnPath", () => {
  it("tells what can be started from what cannot", async () => {
    await expect(Promise.all([isOnPath("sh"), isOnPath("no-such-program")])).resolves.toEqual([true, false]);
  });
});
