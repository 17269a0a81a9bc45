import { expect, it } from "vitest";

import { KubeError, type KubeErrorFacts } from "../../kube/errors.ts";
import { apiErrorOf } from "./errors.ts";

const failed = (facts: Partial<KubeErrorFacts>): KubeError =>
  new KubeError({
    message: "create secrets keys/a: secret words",
    status: 0,
    reason: "",
    delivery: "received",
    ...facts,
  });
const couldNot = "the request could not be carried out; try again";

it.each<[string, unknown, string]>([
  [
    "no answer within the request's own limit",
    failed({ reason: "Timeout" }),
    "the API server did not answer in time; try again",
  ],
  [
    "no answer within the caller's time",
    failed({ reason: "Aborted" }),
    "the API server did not answer in time; try again",
  ],
  ["no connection", failed({ reason: "ConnectionFailed" }), "the API server cannot be reached; try again"],
  ["429", failed({ status: 429 }), "the API server has too many requests; try again"],
  ["500", failed({ status: 500 }), "the API server could not carry out the request (500); try again"],
  ["504", failed({ status: 504 }), "the API server could not carry out the request (504); try again"],
  ["499", failed({ status: 499 }), couldNot],
  ["an error of our own", new Error("secret words"), couldNot],
])("%s of the API server is said to the caller, and nothing of its message", (_name, error, message) => {
  expect(apiErrorOf(error)).toMatchObject({ code: "Unavailable", status: 503, message });
});
