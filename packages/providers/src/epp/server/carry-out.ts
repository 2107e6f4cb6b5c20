import { assertNever } from "@hostledger/core";

import { instantOf } from "../../sandbox/sandbox-clock.ts";
import { namespaces } from "../namespaces.ts";
import type { XmlElement } from "../xml.ts";
import { orderIdOf, type Answer, type CommandContext, type ObjectCommand, type Verb } from "./command.ts";
import { checkContacts, createContact, deleteContact, showContact, updateContact } from "./contacts.ts";
import { transferDomain } from "./domain-transfer.ts";
import { updateDomain } from "./domain-update.ts";
import { checkDomains, createDomain, deleteDomain, renewDomain, showDomain } from "./domains.ts";
import { checkHosts, createHost, deleteHost, showHost, updateHost } from "./hosts.ts";
import { wireFateOf, type Damage } from "./labels.ts";
import { EppRefusal } from "./result-codes.ts";

type Handler = (context: CommandContext, command: ObjectCommand) => Answer;

const handlers: ReadonlyMap<string, Readonly<Partial<Record<Verb, Handler>>>> = new Map([
  [
    namespaces.domain,
    {
      check: checkDomains,
      create: createDomain,
      info: showDomain,
      update: updateDomain,
      renew: renewDomain,
      delete: deleteDomain,
      transfer: transferDomain,
    },
  ],
  [
    namespaces.contact,
    {
      check: checkContacts,
      create: createContact,
      info: showContact,
      update: updateContact,
      delete: deleteContact,
    },
  ],
  [
    namespaces.host,
    { check: checkHosts, create: createHost, info: showHost, update: updateHost, delete: deleteHost },
  ],
]);

/** A session's reaction to a command. */
export type Outcome =
  | { readonly kind: "answer"; readonly answer: Answer; readonly damage?: Damage }
  /** The session stays silent for ever. */
  | { readonly kind: "silence" }
  | { readonly kind: "cut" };

/** Milliseconds for which an order answered with 1001 stays pending. */
const pendingMs = 1_000;

/** Carries out a command on an object; the domain's name may trigger a simulated fault. @throws EppRefusal */
export function carryOut(context: CommandContext, command: ObjectCommand, xml: string): Outcome {
  const name = orderedName(command);
  if (name === undefined) return { kind: "answer", answer: answerTo(context, command) };
  const fate = wireFateOf(name);
  switch (fate.kind) {
    case "answered":
      return { kind: "answer", answer: answerTo(context, command) };
    case "refused":
      throw fate.refusal;
    case "swallowed":
      return { kind: "silence" };
    case "cut-before":
      return { kind: "cut" };
    case "damaged":
      return { kind: "answer", answer: answerTo(context, command), damage: fate.damage };
    case "pending":
      return { kind: "answer", answer: answerPending(context, command, name) };
    case "in-limbo": {
      const answer = answerTo(context, command);
      settleLater(context, name);
      return { kind: "answer", answer, damage: "silence" };
    }
    case "late": {
      const { registry, registrar } = context;
      registry.takeDownLate(orderIdOf(context), name, { registrar, xml });
      return { kind: "silence" };
    }
    default:
      return assertNever(fate);
  }
}

/** Carries out a command regardless of the name. @throws EppRefusal */
export function answerTo(context: CommandContext, command: ObjectCommand): Answer {
  const handler = handlers.get(command.object.namespace)?.[command.verb];
  if (handler === undefined)
    throw new EppRefusal(2101, `There is no <${command.verb}> for this object here.`);
  return handler(context, command);
}

/** Returns the name that a command concerns. */
export function subjectOf({ object }: ObjectCommand): string | undefined {
  return object.children.find(({ name }) => name === "name")?.text.toLowerCase();
}

/** Returns the domain of a command that costs money; undefined for other commands. */
function orderedName(command: ObjectCommand): string | undefined {
  const { verb, operation, object } = command;
  if (object.namespace !== namespaces.domain) return undefined;
  const isOrder =
    verb === "create" ||
    verb === "renew" ||
    (verb === "transfer" && operation === "request") ||
    (verb === "update" && command.extensions.some(isRestore));
  return isOrder ? subjectOf(command) : undefined;
}

function isRestore({ namespace, children }: XmlElement): boolean {
  return namespace === namespaces.rgp && children.some(({ name }) => name === "restore");
}

function settleLater({ registry, atMs }: CommandContext, name: string): void {
  const domain = registry.domain(name);
  if (domain !== undefined) registry.putDomain({ ...domain, settlesAtMs: atMs + registry.limboMs });
}

/** Answers 1001 for an order that completes a second later and is then reported in the poll queue (RFC 5731 §3.3). */
function answerPending(context: CommandContext, command: ObjectCommand, name: string): Answer {
  const { registry, registrar, atMs, serverTransactionId } = context;
  const before = registry.domain(name);
  const answer = answerTo(context, command);
  const domain = registry.domain(name);
  if (answer.code !== 1000 || domain === undefined) return answer;
  const untilMs = atMs + pendingMs;
  const kind = before === undefined ? "pendingCreate" : "pendingRenew";
  const pending = { kind, untilMs, expiresAt: before?.expiresAt ?? domain.expiresAt } as const;
  registry.putDomain({ ...domain, details: { ...domain.details, pending } });
  registry.notify(registrar, name, untilMs, {
    text: "Pending action completed successfully.",
    pendingAction: {
      name,
      clientTransactionId: orderIdOf(context),
      serverTransactionId,
      at: instantOf(untilMs),
    },
  });
  return { ...answer, code: 1001 };
}
