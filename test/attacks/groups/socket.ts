import type { Group } from "../support/attempt.ts";

const closed = "closed";

export const socket: Group = {
  title: "the agent, at its runtime's socket, gets nothing for",
  file: "groups/socket.ts",
  attempts: [
    { name: "a credential of another host", outcome: "{}", counted: "gateway AgentCredentialForeign" },
    { name: "a line that is no message", outcome: closed, counted: "gateway AgentMalformed" },
    { name: "a message out of place", outcome: closed, counted: "gateway AgentMalformed" },
    { name: "a request for children that there is not", outcome: closed, counted: "gateway AgentMalformed" },
    {
      name: "the archive of a transfer that the runtime did not begin",
      outcome: closed,
      counted: "gateway AgentMalformed",
    },
    { name: "a line of more than 1 MiB", outcome: closed, counted: "gateway AgentTooLarge" },
    { name: "a second connection as the agent's container", outcome: closed, counted: "gateway AgentImpersonated" },
    { name: "200 connections at once", outcome: closed, counted: "gateway AgentTooManyConnections" },
  ],
  run: ({ victim }) => victim.report("socket.mjs"),
};
