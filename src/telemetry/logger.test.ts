import { expect, it } from "vitest";
import { createLogger } from "./logger.ts";

it("removes secrets and bodies that a caller passed by mistake", () => {
  const lines: string[] = [];
  const logger = createLogger({ process: "ingress", level: "info" }, { write: (line) => void lines.push(line) });
  logger.info(
    { token: "planted-1", request: { authorization: "planted-2", payload: "planted-3" }, automation: "a.b" },
    "Took delivery",
  );
  expect(JSON.parse(lines[0]!)).toMatchObject({ process: "ingress", level: "info", automation: "a.b" });
  expect(lines.join("")).not.toContain("planted");
});
