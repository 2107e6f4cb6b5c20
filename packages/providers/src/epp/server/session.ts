import { randomUUID, timingSafeEqual, createHash } from "node:crypto";

import type { Clock } from "@hostledger/runtime";

import { behaviourOf } from "../../sandbox/labels.ts";
import type { RegistryMessage } from "../../sandbox/sandbox-contents.codec.ts";
import { instantOf } from "../../sandbox/sandbox-clock.ts";
import type { SandboxRegistry } from "../../sandbox/sandbox-registry.ts";
import { parseXml, XmlError, type XmlElement } from "../xml.ts";
import { domainElements } from "../domain-elements.ts";
import { sessionElements } from "../session-elements.ts";
import { greetingXml, offered, refusalXml, responseXml, type TransactionIds } from "./answering.ts";
import { answerTo, carryOut, subjectOf, type Outcome } from "./carry-out.ts";
import {
  readRequest,
  refuse,
  type Answer,
  type CommandContext,
  type ObjectCommand,
  type Request,
} from "./command.ts";
import type { Damage } from "./labels.ts";
import { domainShown } from "./domains.ts";
import { endsSession, EppRefusal } from "./result-codes.ts";

/** Shared by all sessions of a server. */
export interface SessionContext {
  readonly registry: SandboxRegistry;
  readonly clock: Clock;
  /** Passwords by registrar. */
  readonly accounts: ReadonlyMap<string, string>;
  /** Registrars' identifiers by login user, if different. */
  readonly clientIds?: ReadonlyMap<string, string>;
  /** Reserves a session of a registrar. @returns false if the maximum is reached */
  readonly enter: (registrar: string) => boolean;
  readonly leave: (registrar: string) => void;
  /** Wrong passwords since the last right one, by registrar. */
  readonly failedLogins: Map<string, number>;
}

/** Reaction to a frame. */
export interface Reply {
  /** Absent if nothing is sent. */
  readonly xml?: string;
  readonly damage?: Damage;
  /** True if the connection is closed afterwards. */
  readonly ends: boolean;
}

/** From so many wrong passwords on, each further one ends its session (2501), as registries do. */
const mostFailedLogins = 3;

/** State of one connection from its greeting on. Frames are answered one at a time. */
export class Session {
  readonly #shared: SessionContext;
  #registrar: string | undefined;
  #services: ReadonlySet<string> = new Set();
  #isSilent = false;

  constructor(shared: SessionContext) {
    this.#shared = shared;
  }

  greeting(): string {
    return greetingXml(this.#shared.clock.now());
  }

  /** True while a registrar is logged in. */
  get isOpen(): boolean {
    return this.#registrar !== undefined;
  }

  /** Releases the session's reservation; may be called repeatedly. */
  end(): void {
    if (this.#registrar !== undefined) this.#shared.leave(this.#registrar);
    this.#registrar = undefined;
  }

  async answer(xml: string): Promise<Reply> {
    if (this.#isSilent) return { ends: false };
    const serverTransactionId = `sandbox-${randomUUID()}`;
    let clientTransactionId: string | undefined;
    try {
      const read = readRequest(parseXml(xml));
      clientTransactionId = read.clientTransactionId;
      if (read.request.kind === "hello") return { xml: this.greeting(), ends: false };
      const outcome = await this.#carryOut(read.request, xml, { clientTransactionId, serverTransactionId });
      return this.#replyTo(outcome, { clientTransactionId, serverTransactionId });
    } catch (error) {
      const refusal = error instanceof XmlError ? new EppRefusal(2001, error.message) : error;
      if (!(refusal instanceof EppRefusal)) throw error;
      return {
        xml: refusalXml(refusal, { clientTransactionId, serverTransactionId }),
        ends: endsSession(refusal.code),
      };
    }
  }

  #replyTo(outcome: Outcome, ids: TransactionIds): Reply {
    switch (outcome.kind) {
      case "answer": {
        const { answer, damage } = outcome;
        if (damage === "silence") return this.#silence();
        const xml = responseXml(answer, ids);
        return damage === undefined
          ? { xml, ends: endsSession(answer.code) }
          : { xml, damage, ends: damage !== "wrong-length" };
      }
      case "silence":
        return this.#silence();
      case "cut":
        return { ends: true };
    }
  }

  #silence(): Reply {
    this.#isSilent = true;
    return { ends: false };
  }

  async #carryOut(
    request: Exclude<Request, { kind: "hello" }>,
    xml: string,
    ids: TransactionIds,
  ): Promise<Outcome> {
    const { registry, clock } = this.#shared;
    if (request.kind === "session" && request.name === "login")
      return { kind: "answer", answer: this.#login(request.element) };
    const registrar = this.#registrar;
    if (registrar === undefined) throw new EppRefusal(2002, "Log in first.");
    if (request.kind === "object") this.#refuseUnchosen(request.command);
    const name = request.kind === "object" ? subjectOf(request.command) : undefined;
    await clock.sleep(Math.max(registry.latencyMs, name === undefined ? 0 : behaviourOf(name).callMs));
    return registry.carryOut(() => {
      this.#carryOutLate();
      const context = { registry, registrar, atMs: clock.epochMilliseconds(), ...ids };
      return answerIn(context, request, xml);
    });
  }

  /** Carries out due orders that were never answered. */
  #carryOutLate(): void {
    const { registry } = this.#shared;
    registry.carryOutLate(({ registrar, xml }, atMs) => {
      const { clientTransactionId, request } = readRequest(parseXml(xml));
      if (request.kind !== "object") return;
      const serverTransactionId = `sandbox-${randomUUID()}`;
      try {
        answerTo({ registry, registrar, atMs, clientTransactionId, serverTransactionId }, request.command);
      } catch (error) {
        // The late order is impossible by now. No client waits for its answer.
        if (!(error instanceof EppRefusal)) throw error;
      }
    });
  }

  #login(login: XmlElement): Answer {
    if (this.#registrar !== undefined) throw new EppRefusal(2002, "You are logged in.");
    const given = sessionElements.login.read(login, refuse);
    const { user: registrar, password, newPassword, options } = given;
    if (newPassword !== undefined)
      throw new EppRefusal(2102, "The password is in a file of the sandbox and cannot be changed here.");
    if (options.version !== offered.version) throw new EppRefusal(2100, `The version is ${offered.version}.`);
    if (options.language !== offered.language)
      throw new EppRefusal(2102, `The language is ${offered.language}.`);
    const { objects } = given.services;
    const extensions = given.services.extensions?.uris ?? [];
    if (objects.some((uri) => !offered.objects.includes(uri)))
      throw new EppRefusal(2307, "An object is not among those of the greeting.");
    if (extensions.some((uri) => !offered.extensions.includes(uri)))
      throw new EppRefusal(2103, "An extension is not among those of the greeting.");
    if (!isRight(password, this.#shared.accounts.get(registrar))) throw this.#failedLogin(registrar);
    this.#shared.failedLogins.delete(registrar);
    if (!this.#shared.enter(registrar)) throw new EppRefusal(2502, "Too many sessions of this registrar.");
    this.#registrar = this.#shared.clientIds?.get(registrar) ?? registrar;
    this.#services = new Set([...objects, ...extensions]);
    return { code: 1000 };
  }

  #failedLogin(registrar: string): EppRefusal {
    const { accounts, failedLogins } = this.#shared;
    const count = (failedLogins.get(registrar) ?? 0) + 1;
    if (accounts.has(registrar)) failedLogins.set(registrar, count);
    const isLast = count >= mostFailedLogins;
    return new EppRefusal(isLast ? 2501 : 2200, "The name or the password is wrong.");
  }

  #refuseUnchosen({ object, extensions }: ObjectCommand): void {
    if (!this.#services.has(object.namespace))
      throw new EppRefusal(2307, "This object was not chosen at login.");
    const other = extensions.find(({ namespace }) => !this.#services.has(namespace));
    if (other !== undefined) throw new EppRefusal(2103, "An extension was not chosen at login.");
  }
}

function answerIn(
  context: CommandContext,
  request: Exclude<Request, { kind: "hello" }>,
  xml: string,
): Outcome {
  if (request.kind === "object") return carryOut(context, request.command, xml);
  return {
    kind: "answer",
    answer: request.name === "poll" ? poll(context, request.element) : { code: 1500 },
  };
}

/** Compares passwords in constant time. */
function isRight(given: string, right: string | undefined): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(right ?? "")) && right !== undefined;
}

/** Shows or removes the first poll message (RFC 5730 §2.9.2.3). @throws EppRefusal 2001, 2003, 2005, 2303 */
function poll(context: CommandContext, element: XmlElement): Answer {
  const { operation, messageId } = sessionElements.poll.read(element);
  if (operation === "req") return first(context);
  if (operation !== "ack") throw new EppRefusal(2001, "<poll> must req or ack.");
  if (messageId === undefined) throw new EppRefusal(2003, "<poll> lacks its msgID.");
  if (!/^\d{1,15}$/.test(messageId)) throw new EppRefusal(2005, "A msgID is a number here.");
  const { registry, registrar } = context;
  if (!registry.acknowledge(registrar, Number(messageId)))
    throw new EppRefusal(2303, `There is no message ${messageId}.`);
  return { code: 1000, messages: { count: registry.countMessages(registrar), id: messageId } };
}

function first(context: CommandContext): Answer {
  const { registry, registrar } = context;
  const queued = registry.firstMessage(registrar);
  if (queued === undefined) return { code: 1300 };
  const { id, count, queuedAtMs, message } = queued;
  const messages = { count, id: String(id), queuedAt: instantOf(queuedAtMs), text: message.text };
  return { code: 1301, messages, resData: messageDataOf(context, message) };
}

function messageDataOf(
  context: CommandContext,
  { transfer, pendingAction, changed }: RegistryMessage,
): XmlElement | undefined {
  if (transfer !== undefined) return domainElements.trnData.write(transfer);
  if (changed !== undefined) return domainShown(context, changed);
  if (pendingAction === undefined) return undefined;
  const { name, clientTransactionId, serverTransactionId, at } = pendingAction;
  return domainElements.panData.write({
    subject: { name, result: "1" },
    ids: { client: clientTransactionId, server: serverTransactionId },
    at,
  });
}
