import { meaningOf } from "@hostledger/rpc";

import { euros } from "../views/money.view.ts";
import type { Rejection } from "./rejection.ts";

/** The parts of a request as they came. */
export type RawRequest = Readonly<Partial<Record<"params" | "query" | "body", unknown>>>;

/** Characters of a value that a sentence shows. */
const longestShownValue = 80;

/** Fields whose values no sentence repeats. */
const secretFields: ReadonlySet<string> = new Set(["auth_code", "keyAuth"]);

/** What a refusal is about, where its sentence does not name the value itself: fields of the body or the query. */
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

/** Refusals whose sentence the contract fixes. */
const fixedSentences: ReadonlySet<Rejection["code"]> = new Set(["unauthorized"]);

/** A value as a sentence shows it, in JSON and cut; undefined where there is none, or where it is a secret. */
export function shownValue(field: string, value: unknown): string | undefined {
  if (value === undefined || secretFields.has(field)) return undefined;
  // What stands in a path is text without quotes.
  const isPlain = typeof value === "string" && /^\d+$/u.test(value);
  const text = isPlain ? value : JSON.stringify(value).replaceAll(/\p{Cf}/gu, escaped);
  const characters = Array.from(text);
  return characters.length > longestShownValue ? `${characters.slice(0, longestShownValue).join("")}…` : text;
}

const escaped = (character: string): string =>
  String.raw`\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** The sentence about a field that breaks a rule, with the value that was sent. @param subject how it names the field */
export function fieldSentence(subject: string, predicate: string, value: string | undefined): string {
  const note = value === undefined || quotes(predicate, value) ? "" : ` (sent: ${value})`;
  return `${subject} ${predicate}${note}.`;
}

/**
 * A refusal of a service with what the request said: sentences about fields name the field and its value, and others name what
 * they are about. What the service said stays.
 */
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
  // A sentence of the service's own says why; one that is only its fields' is said better by theirs.
  const isOwn = !Object.keys(errors).some(
    (field) =>
      rejection.message.startsWith(`${field} `) || rejection.message.startsWith(`The field ${field} `),
  );
  return { ...rejection, message: (isOwn ? `${rejection.message} ${first}` : first) + more, detail };
}

/** Some predicates are whole sentences already. */
function sentenceOf(field: string, predicate: string, value: string | undefined): string {
  if (!/^[A-Z]/u.test(predicate)) return fieldSentence(`The field ${field}`, predicate, value);
  return value === undefined || quotes(predicate, value) ? predicate : withNote(predicate, `sent: ${value}`);
}

/** Whether a sentence has a value already. Only a text in quotes counts: the digits of a number may be those of a limit. */
function quotes(sentence: string, value: string): boolean {
  return value.startsWith('"') && sentence.includes(value);
}

/** Parameters of the path that a sentence speaks of: `There is no such webhook.` is about `webhook`. */
function paramsNamedIn(message: string, { params }: RawRequest): readonly string[] {
  const names = Object.keys(recordOf(params));
  const named = names.filter((name) => message.includes(name));
  return named.length > 0 ? named : names.slice(-1);
}

/** Puts a note behind the first sentence's last word. */
function withNote(message: string, note: string): string {
  const end = message.search(/\.(?=\s|$)/u);
  return end === -1 ? `${message} (${note})` : `${message.slice(0, end)} (${note})${message.slice(end)}`;
}

/** What a sentence that says what to do has in it: a rule of a field, or a clause in the imperative. */
const advice =
  /\b(?:must|needs \w+ to be|is required|is needed)\b|(?:^|[.:;] |, and )(?:act|ask|call|check|choose|complete|correct|delete|drop|leave|make|name|open|order|read|remove|renew|revoke|send|switch|top up|try|use|wait)\b/iu;

/** A sentence with what its reader can do: the catalogue's advice, where the sentence has none of its own. */
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
