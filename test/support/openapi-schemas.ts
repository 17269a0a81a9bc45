import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";

type Json = Record<string, unknown>;

/** Of an OpenAPI 3.0 document, as far as bodies and parameters are read from it. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, OpenApiOperation> | undefined>;
  components: Json;
}

interface Content {
  content?: Record<string, { schema: Json; examples?: Record<string, Json> }>;
}

export interface OpenApiOperation {
  parameters?: Json[];
  requestBody?: Content & Json;
  responses: Record<string, Json>;
}

/** Checks bodies against an OpenAPI 3.0 document. */
export class OpenApiSchemas {
  readonly #document: OpenApiDocument;
  readonly #ajv = addFormats.default(new Ajv({ strict: false, allErrors: true }));

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  /** The operation of a route such as `GET /repos/{owner}/{repo}`; undefined where there is none. */
  operation(route: string): OpenApiOperation | undefined {
    const [method = "", path = ""] = route.split(" ");
    return this.#document.paths[path]?.[method.toLowerCase()];
  }

  /** Names of an operation's parameters in its path and query, and of the fields of its body. */
  names(operation: OpenApiOperation): { parameters: Set<string>; fields: Set<string> } {
    const parameters = (operation.parameters ?? []).map((one) => String(this.#resolved(one).name));
    const body = this.#resolved(bodySchema(operation) ?? {});
    return {
      parameters: new Set(parameters),
      fields: new Set(Object.keys((body.properties as Json | undefined) ?? {})),
    };
  }

  /** What is wrong with a request's body. */
  requestProblems(operation: OpenApiOperation, body: unknown): string[] {
    const schema = bodySchema(operation);
    return schema ? problems(this.#compile(this.#translated(schema, "whole")), body) : ["there is no body"];
  }

  /** What is wrong with an answer that has only some of the fields: those that it has are GitHub's own. */
  answerProblems(operation: OpenApiOperation, status: number, body: unknown): string[] {
    const response = operation.responses[String(status)];
    if (!response) return [`status ${status} is not described`];
    const schema = (this.#resolved(response) as Content).content?.["application/json"]?.schema;
    return schema ? problems(this.#compile(this.#translated(schema, "part")), body) : [];
  }

  /** Examples of an operation's answers that have succeeded, by name. */
  examples(operation: OpenApiOperation): Map<string, unknown> {
    const described = Object.entries(operation.responses)
      .filter(([status]) => status.startsWith("2"))
      .flatMap(([, response]) => {
        const { examples = {} } = (this.#resolved(response) as Content).content?.["application/json"] ?? {};
        // The value of one may be another example.
        const valueOf = (one: Json): unknown => {
          const { value } = this.#resolved(one);
          return Object.hasOwn(Object(value) as object, "$ref") ? valueOf(value as Json) : value;
        };
        return Object.entries(examples).map(([name, one]): [string, unknown] => [name, valueOf(one)]);
      });
    return new Map(described);
  }

  #compile(schema: Json): ValidateFunction {
    return this.#ajv.compile(schema);
  }

  #resolved(schema: Json): Json {
    const { $ref: reference } = schema;
    if (typeof reference !== "string") return schema;
    const found = reference
      .split("/")
      .slice(1)
      .reduce<unknown>((at, name) => (at as Json)[name], this.#document);
    return this.#resolved(found as Json);
  }

  /** As JSON Schema: `nullable` is a word of OpenAPI's. A `part` may lack fields, and has no others. */
  #translated(schema: Json, how: "whole" | "part"): Json {
    const resolved = this.#resolved(schema);
    const each = (of: unknown): Json[] => (of as Json[]).map((one) => this.#translated(one, how));
    const { nullable, required, properties, items, anyOf, oneOf, allOf, ...rest } = resolved;
    const { additionalProperties, ...kept } = rest;
    const translated: Json = {
      ...kept,
      ...(how === "whole" && required !== undefined && { required }),
      ...(additionalProperties !== undefined && {
        additionalProperties:
          typeof additionalProperties === "object"
            ? this.#translated(additionalProperties as Json, how)
            : additionalProperties,
      }),
      ...(properties !== undefined && {
        properties: Object.fromEntries(
          Object.entries(properties as Record<string, Json>).map(([name, one]) => [name, this.#translated(one, how)]),
        ),
        ...(how === "part" && additionalProperties === undefined && { additionalProperties: false }),
      }),
      ...(items !== undefined && { items: this.#translated(items as Json, how) }),
      // One with fewer fields may match several.
      ...((anyOf ?? oneOf) !== undefined && { anyOf: each(anyOf ?? oneOf) }),
      ...(allOf !== undefined && { allOf: each(allOf) }),
    };
    return nullable === true ? { anyOf: [{ type: "null" }, translated] } : translated;
  }
}

function bodySchema({ requestBody }: OpenApiOperation): Json | undefined {
  return requestBody?.content?.["application/json"]?.schema;
}

function problems(validate: ValidateFunction, body: unknown): string[] {
  if (validate(body)) return [];
  return (validate.errors ?? []).map(({ instancePath, message = "", params }) => {
    return `${instancePath === "" ? "body" : instancePath} ${message} ${JSON.stringify(params)}`;
  });
}
