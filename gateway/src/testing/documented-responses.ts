import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { z } from "zod";

export interface ObservedResponse {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  /** The JSON value; undefined without a body. For files only the media type is checked. */
  readonly body: unknown;
}

/** Returns the deviations of an answer from the document; an empty list if none. */
export type ResponseCheck = (response: ObservedResponse) => readonly string[];

const header = z.object({ required: z.boolean().default(false), schema: z.looseObject({}) });
const response = z.object({
  headers: z.record(z.string(), z.unknown()).default({}),
  content: z.record(z.string(), z.unknown()).default({}),
});
const shape = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ responses: z.record(z.string(), z.unknown()) })),
  ),
  components: z.object({ headers: z.record(z.string(), header), responses: z.record(z.string(), response) }),
});

const root = "openapi.json";
const json = "application/json";
const failurePointer = "#/components/schemas/Failure";

/**
 * Creates the check of answers against an OpenAPI 3.1 document: path, method, status, content type, headers and body
 * schema. Undocumented fields are deviations, and answers described without content must have no body.
 */
export function checkResponsesBy(document: unknown): ResponseCheck {
  const { paths, components } = shape.parse(document);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(closed(z.looseObject({}).parse(document)), root);
  const templates = Object.keys(paths)
    // Sorted as in the router: longer paths before their prefixes.
    .toSorted((a, b) => (`${a}~` < `${b}~` ? -1 : 1))
    .map((path) => ({ path, pattern: patternOf(path) }));

  const problemsOf = (pointer: string, value: unknown): string[] => {
    const validate = ajv.getSchema(root + pointer) ?? ajv.compile({ $ref: root + pointer });
    return validate(value) === true
      ? []
      : (validate.errors ?? []).map(({ instancePath, message = "" }) => `${instancePath} ${message}`.trim());
  };

  function headerProblems(described: object, headers: Headers): string[] {
    return Object.keys(described).flatMap((name) => {
      const { required = false } = components.headers[name] ?? {};
      const value = headers.get(name);
      if (value === null) return required ? [`the header ${name} is missing`] : [];
      return problemsOf(`#/components/headers/${name}/schema`, value).map((problem) => `${name}: ${problem}`);
    });
  }

  return ({ method, path, status, headers, body }) => {
    const type = headers.get("content-type")?.replace(/;.*$/, "");
    if (type === undefined && (method === "HEAD" || status === 204)) return [];
    const wrongType = [`the content type is ${String(type)}`];
    const pathname = path.replace(/[?#].*$/, "");
    const template = templates.find(({ pattern }) => pattern.test(pathname))?.path;
    const methods = template === undefined ? undefined : paths[template];
    const described = methods?.[method === "HEAD" ? "get" : method.toLowerCase()];
    if (template === undefined || described === undefined) {
      const expected = template === undefined ? 404 : 405;
      if (status !== expected)
        return [`${method} ${pathname} is not in the document, and answers ${String(status)}`];
      if (type !== json) return wrongType;
      return problemsOf(failurePointer, body);
    }
    const entry = described.responses[String(status)];
    if (entry === undefined) return [`the status ${String(status)} is not in the document`];
    const reference = z.object({ $ref: z.string() }).safeParse(entry);
    const own = `#/paths/${escaped(template)}/${method === "HEAD" ? "get" : method.toLowerCase()}/responses/${String(status)}`;
    const pointer = reference.success ? reference.data.$ref : own;
    const found = reference.success
      ? components.responses[reference.data.$ref.replace(/^.*\//, "")]
      : response.parse(entry);
    if (found !== undefined && Object.keys(found.content).length === 0)
      return [
        ...headerProblems(found.headers, headers),
        ...(type === undefined && body === undefined ? [] : ["there is a body where none is described"]),
      ];
    if (type === undefined || found?.content[type] === undefined) return wrongType;
    return [
      ...headerProblems(found.headers, headers),
      ...(method === "HEAD" || type !== json
        ? []
        : [...problemsOf(`${pointer}/content/application~1json/schema`, body), ...thirdDecimals(body)]),
    ];
  };
}

/** Returns numbers with more than two decimals; fractions are euros, and the schema cannot limit their decimals. */
function thirdDecimals(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(thirdDecimals);
  const isExact = typeof value !== "number" || Number(value.toFixed(2)) === value;
  return isExact ? [] : [`${String(value)} has a third decimal`];
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", String.raw`\.`).replaceAll(/\{\w+\}/g, "[^/]+")}/?$`);
}

const escaped = (segment: string): string =>
  encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1"));

/** Returns the document with all object schemas closed, so that tests detect undocumented fields. */
function closed(value: object): object {
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => [key, closedWithin(inner)]),
  );
  const isObjectSchema =
    typeof copy.properties === "object" &&
    !("additionalProperties" in copy) &&
    !Array.isArray(copy.properties);
  return isObjectSchema ? { ...copy, unevaluatedProperties: false } : copy;
}

function closedWithin(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedWithin);
  return typeof value === "object" && value !== null ? closed(value) : value;
}
