import {
  parseDomainName,
  registryMessageAggregate,
  registryMessageId,
  staffTickets,
  type StaffTicket,
} from "@hostledger/core";
import { requestStaffTicket, unlessUnreadable, type CommandHandler } from "@hostledger/store";
import { workKind, type AnyWorkKind } from "@hostledger/work";
import type { Registrars, RegistryMessage } from "@hostledger/providers";
import type { Clock, Logger } from "@hostledger/runtime";

import { actOnMessage, type MessageActionOptions } from "./registry-news.ts";

export interface RegistryMessagesOptions extends Omit<MessageActionOptions, "registrar"> {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly registrars: Pick<Registrars, "all">;
}

type ReadingOptions = Omit<RegistryMessagesOptions, "registrars"> & MessageActionOptions;

/** Result of one round, in numbers of messages. */
export interface MessageRound {
  readonly acknowledged: number;
  /** Left in their queues for the next round. */
  readonly left: number;
}

/**
 * Reads poll messages. Stores an event for each message, carries out its consequences, and only then acknowledges
 * the message. After a crash in between, the registry sends the message again, and its events are recognised.
 */
export interface RegistryMessages {
  /** Reads until the queues are empty, or as much as a round may. Several may read at once: nothing is recorded twice. */
  runRound(signal?: AbortSignal): Promise<MessageRound>;
  /** The reading as work; none if no registrar says anything unasked. */
  readonly work: readonly AnyWorkKind[];
}

/** Messages of one round; the next one follows at once where there were so many. */
const roundLimit = 500;

/** Between rounds, in milliseconds. */
const pauseMs = 60_000;

/** Rounds in which a message may be in the way of later ones: then staff have it, and it is taken off. */
const mostAttempts = 5;

/** Failed rounds in a row after which staff get a ticket. */
const mostSilences = 10;

const recordedBy = "domain-service";

export function createRegistryMessages(options: RegistryMessagesOptions): RegistryMessages {
  const { registrars, ...given } = options;
  const readings = registrars.all
    .filter((registrar) => registrar.messages !== undefined && registrar.acknowledge !== undefined)
    .map((registrar) => new Reading({ ...given, registrar }));
  return {
    async runRound(signal) {
      const total = { acknowledged: 0, left: 0 };
      for (const reading of readings) {
        const round = await reading.runRound(signal);
        total.acknowledged += round.acknowledged;
        total.left += round.left;
      }
      return total;
    },
    work: readings.length === 0 ? [] : [readingWork(readings)],
  };
}

/** Reads the queues of each registrar once a minute; the keys are their names. One that does not answer holds up no other. */
function readingWork(readings: readonly Reading[]): AnyWorkKind {
  const readingOf = new Map(readings.map((reading) => [reading.registrar, reading]));
  return workKind<Reading, { readonly type: "read" }>({
    name: "registry-messages",
    begins: { keys: [...readingOf.keys()], afterMs: 0 },
    load: (registrar) => Promise.resolve(readingOf.get(registrar)),
    next: () => ({ do: { type: "read" } }),
    effects: {
      read: {
        retry: { firstMs: pauseMs, longestMs: pauseMs },
        async carryOut(_effect, reading, signal) {
          const { acknowledged } = await reading.runRound(signal);
          const againAfterMs = acknowledged < roundLimit ? pauseMs : 0;
          return { outcome: "done", step: "messages read", againAfterMs };
        },
      },
    },
  });
}

class Reading {
  readonly #options: ReadingOptions;
  /** Attempts at messages that are still in their queues: the first of each. */
  readonly #attempts = new Map<string, number>();
  #silences = 0;

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  get registrar(): string {
    return this.#options.registrar.name;
  }

  async runRound(signal = new AbortController().signal): Promise<MessageRound> {
    const { registrar } = this.#options;
    const round = { acknowledged: 0, left: 0 };
    const blocked = new Set<string>();
    while (!signal.aborted && round.acknowledged < roundLimit) {
      const answer = await registrar.messages?.();
      if (answer === undefined) break;
      if (answer.outcome !== "done") {
        await this.#silent(answer.message);
        break;
      }
      this.#silences = 0;
      const next = answer.value.find((message) => !blocked.has(message.registrar));
      if (next === undefined) break;
      const isSettled = await this.#settle(next);
      const acknowledged = isSettled ? await registrar.acknowledge?.(next) : undefined;
      if (acknowledged?.outcome === "done") round.acknowledged += 1;
      else {
        blocked.add(next.registrar);
        round.left += 1;
      }
    }
    return round;
  }

  /** @returns true when the message can be taken off its queue. */
  async #settle(message: RegistryMessage): Promise<boolean> {
    const { clock, logger } = this.#options;
    const { registrar, id: messageId, name } = message;
    await this.#recordReadable(message);
    if (name === undefined || !parseDomainName(name).ok) {
      logger.warn({ registrar, messageId }, "a registry's message is not understood");
      await this.#ask(staffTickets.registryNotUnderstood({ ...message, messageId }, clock.now()));
      return true;
    }
    const key = registryMessageId(registrar, messageId);
    const attempt = (this.#attempts.get(key) ?? 0) + 1;
    const isDone = await attempted(this.#options, { ...message, name });
    if (!isDone && attempt < mostAttempts) {
      this.#attempts.set(key, attempt);
      return false;
    }
    this.#attempts.delete(key);
    if (!isDone) {
      logger.error({ registrar, messageId, domain: name }, "a registry's message is given up");
      await this.#ask(staffTickets.registryNotFollowed({ ...message, messageId, name }, mostAttempts));
    }
    return true;
  }

  /** A record that cannot be read keeps neither this message nor later ones from being followed. */
  #recordReadable(message: RegistryMessage): Promise<void> {
    const { registrar, id: messageId } = message;
    return unlessUnreadable(
      () => this.#record(message),
      (error) => {
        this.#options.logger.error(
          { registrar, messageId, error },
          "a registry's message could not be recorded",
        );
      },
    );
  }

  async #record({ registrar, id: messageId, about, name, words }: RegistryMessage): Promise<void> {
    const { clock, commands } = this.#options;
    const correlationId = registryMessageId(registrar, messageId);
    const data = { registrar, messageId, about, name: name ?? null, words, at: clock.now() };
    const executed = await commands.execute(
      registryMessageAggregate,
      correlationId,
      { type: "ReceiveRegistryMessage", data },
      { commandId: `${correlationId}/ReceiveRegistryMessage`, correlationId, actor: "process:registry" },
    );
    if (!executed.accepted) throw new Error(executed.rejection.message);
  }

  /** Opens one staff ticket a day about queues that cannot be read, because their messages are missed. */
  async #silent(why: string): Promise<void> {
    const { clock, logger, registrar } = this.#options;
    this.#silences += 1;
    logger.warn({ registrar: registrar.name, why }, "a registry's messages could not be read");
    if (this.#silences < mostSilences) return;
    await this.#ask(staffTickets.registryUnread(registrar.name, mostSilences, why, clock.now()));
  }

  async #ask(ticket: StaffTicket): Promise<void> {
    await requestStaffTicket(this.#options, ticket, recordedBy);
  }
}

/** Whatever one message leads to, later ones come to their turn. @returns false for another attempt. */
async function attempted(
  options: ReadingOptions,
  message: RegistryMessage & { readonly name: string },
): Promise<boolean> {
  try {
    return await actOnMessage(options, message);
  } catch (error) {
    const { registrar, id: messageId } = message;
    options.logger.error({ registrar, messageId, error }, "a registry's message is held up");
    return false;
  }
}
