import { meaningOf, type rejectionOf } from "@hostledger/rpc";

import { euros } from "./view.codec.ts";

/** A rejection of a service or of the gateway. */
export type Rejection = ReturnType<typeof rejectionOf>;

/** The unparsed parts of a request. */
export type RawRequest = Readonly<Partial<Record<"params" | "query" | "body", unknown>>>;

/** Maximum characters of a value shown in a sentence. */
const longestShownValue = 80;

const secretFields: ReadonlySet<string> = new Set(["auth_code", "keyAuth"]);

/** Body or query fields whose values explain a refusal that does not name the value itself. */
const subjects: Readonly<Partial<Record<Rejection["code"], readonly string[]>>> = {
  "unsupported-extension": ["domain"],
  "domain-taken": ["domain"],
  "domain-not-available": ["domain"],
  "premium-name": ["domain"],
  "not-transferable": ["domain"],
  "invalid-auth-code": ["domain"],
  "registration-in-flight": ["domain"],
  "plan-not-found": ["plan_id"],
  "region-not-found": ["region_id"],
  "out-of-stock": ["plan_id", "region_id"],
  "protected-record": ["type", "name"],
};

/** Refusals whose sentence the contract defines. */
const fixedSentences: ReadonlySet<Rejection["code"]> = new Set(["unauthorized"]);

/** Returns a value as shortened JSON; undefined if absent or secret. */
export function shownValue(field: string, value: unknown): string | undefined {
  if (value === undefined || secretFields.has(field)) return undefined;
  // Path parameters are shown without quotes.
  const isPlain = typeof value === "string" && /^\d+$/u.test(value);
  const text = isPlain ? value : JSON.stringify(value).replaceAll(/\p{Cf}/gu, escaped);
  const characters = Array.from(text);
  return characters.length > longestShownValue ? `${characters.slice(0, longestShownValue).join("")}…` : text;
}

const escaped = (character: string): string =>
  String.raw`\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** Returns a sentence about an invalid field with the sent value. @param subject name of the field in the sentence */
export function fieldSentence(subject: string, predicate: string, value: string | undefined): string {
  const note = value === undefined || quotes(predicate, value) ? "" : ` (sent: ${value})`;
  return `${subject} ${predicate}${note}.`;
}

/** Adds the sent values to a refusal of a service: to each field error, or to the sentence if no field is named. */
export function explained(rejection: Rejection, request: RawRequest): Rejection {
  const { code, detail } = rejection;
  const errors = code === "profile-incomplete" ? undefined : detail?.fieldErrors;
  if (errors !== undefined) return explainedFields(rejection, errors, fieldsIn(request));
  const names = code === "not-found" ? paramsNamedIn(rejection.message, request) : (subjects[code] ?? []);
  const fields = code === "not-found" ? recordOf(request.params) : fieldsIn(request);
  const notes = names.flatMap((name) => {
    const value = shownValue(name, fields[name]);
    return value === undefined || rejection.message.includes(value.replaceAll('"', ""))
      ? []
      : [`${name}: ${value}`];
  });
  const { requiredCents, availableCents } = detail ?? {};
  if (requiredCents !== undefined && availableCents !== undefined)
    notes.push(
      `required: ${euros(requiredCents).toFixed(2)} EUR, available: ${euros(availableCents).toFixed(2)} EUR`,
    );
  return notes.length === 0
    ? rejection
    : { ...rejection, message: withNote(rejection.message, notes.join(", ")) };
}

function explainedFields(
  rejection: Rejection,
  errors: Readonly<Record<string, readonly string[]>>,
  fields: Readonly<Record<string, unknown>>,
): Rejection {
  const sentences = Object.entries(errors).map(([field, predicates]) => {
    const value = shownValue(field, fields[field]);
    return [field, predicates.map((predicate) => sentenceOf(field, predicate, value))] as const;
  });
  const [first = rejection.message, ...others] = sentences.flatMap(([, texts]) => texts);
  const more = others.length === 0 ? "" : ` (and ${String(others.length)} more)`;
  const detail = { ...rejection.detail, fieldErrors: Object.fromEntries(sentences) };
  // Keeps the service's sentence if it gives a reason; replaces the sentence if it only repeats a field error.
  const isOwn = !Object.keys(errors).some(
    (field) =>
      rejection.message.startsWith(`${field} `) || rejection.message.startsWith(`The field ${field} `),
  );
  return { ...rejection, message: (isOwn ? `${rejection.message} ${first}` : first) + more, detail };
}

/** Returns a field's sentence. Predicates that begin with a capital are whole sentences already. */
function sentenceOf(field: string, predicate: string, value: string | undefined): string {
  if (!/^[A-Z]/u.test(predicate)) return fieldSentence(`The field ${field}`, predicate, value);
  return value === undefined || quotes(predicate, value) ? predicate : withNote(predicate, `sent: ${value}`);
}

/** Returns true if the sentence contains the value. Only quoted text counts, because digits may be a limit. */
function quotes(sentence: string, value: string): boolean {
  return value.startsWith('"') && sentence.includes(value);
}

/** Returns path parameters named in a sentence ("no such webhook" names `webhook`), otherwise the last one. */
function paramsNamedIn(message: string, { params }: RawRequest): readonly string[] {
  const names = Object.keys(recordOf(params));
  const named = names.filter((name) => message.includes(name));
  return named.length > 0 ? named : names.slice(-1);
}

function withNote(message: string, note: string): string {
  const end = message.search(/\.(?=\s|$)/u);
  return end === -1 ? `${message} (${note})` : `${message.slice(0, end)} (${note})${message.slice(end)}`;
}

/** Matches a sentence that already tells the customer how to proceed. */
const advice =
  /\b(?:must|needs \w+ to be|is required|is needed)\b|(?:^|[.:;] |, and )(?:act|ask|call|check|choose|complete|correct|delete|drop|leave|make|name|open|order|read|remove|renew|revoke|send|switch|top up|try|use|wait)\b/iu;

/** Returns the sentence, plus the error catalogue's advice if the sentence contains none. */
export function advised({ code, message }: Pick<Rejection, "code" | "message">): string {
  return fixedSentences.has(code) || advice.test(message)
    ? message
    : `${message} ${meaningOf(code).clientAction}`;
}

function fieldsIn({ body, query }: RawRequest): Readonly<Record<string, unknown>> {
  return { ...recordOf(query), ...recordOf(body) };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
