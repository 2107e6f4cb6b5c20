import { hash } from "node:crypto";

import type { ServiceImpl } from "@connectrpc/connect";
import {
  ownCategories,
  parsed,
  storeReaderAggregate,
  storeReaderCategoryLimit,
  unparsable,
  type Parsed,
  type StoreReaderCommand,
} from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import {
  rejectionError,
  requestContextOf,
  requireStaff,
  validated,
  type WithContextValues,
} from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { AuditDependencies } from "../dependencies.ts";

type StoreReaderHandlers = Pick<
  ServiceImpl<typeof admin.AuditorAdminService>,
  "addStoreReader" | "revokeStoreReader" | "listStoreReaders"
>;

/** 256 bits, so that a digest of the password needs no salt and nobody can guess it. */
const passwordRandomBytes = 32;

/** A name that fits a connection string unchanged and cannot be a credential's id. */
const nameForm = /^[a-z][a-z0-9-]{0,62}$/u;

/** Staff's handlers for users that read the store over EventStoreDB's protocol. */
export function storeReadersRpc({ clock, commands, ids }: AuditDependencies): StoreReaderHandlers {
  const execute = async (
    command: StoreReaderCommand,
    context: WithContextValues,
  ): Promise<{ readonly repeated: boolean }> => {
    const asked = { ...requestContextOf(context), commandId: `${command.type}/${ids.uuid()}` };
    const executed = await commands.execute(storeReaderAggregate, "all", command, asked);
    if (!executed.accepted) throw rejectionError(executed.rejection);
    return { repeated: executed.events.length === 0 };
  };
  return {
    async addStoreReader(request, context) {
      requireStaff(context);
      const { name, categories } = validated({
        name: parseReaderName(request.name),
        categories: parseCategories(request.categories),
      });
      const password = ids.secret(passwordRandomBytes);
      const credentialHash = hash("sha256", `${name}:${password}`, "hex");
      const data = { name, categories, credentialHash, at: clock.now() };
      await execute({ type: "AddStoreReader", data }, context);
      return { name, categories: [...categories], password };
    },

    async revokeStoreReader(request, context) {
      requireStaff(context);
      const { name } = validated({ name: parseReaderName(request.name) });
      const data = { name, at: clock.now() };
      const { repeated } = await execute({ type: "RevokeStoreReader", data }, context);
      return { name, repeated };
    },

    async listStoreReaders(_request, context) {
      requireStaff(context);
      const { state } = await commands.load(storeReaderAggregate, "all");
      const readers = [...state.readers.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
      return {
        readers: readers.map(({ name, categories, addedAt, revokedAt }) => ({
          name,
          categories: [...categories],
          addedAt,
          ...defined({ revokedAt }),
        })),
      };
    },
  };
}

function parseReaderName(name: string): Parsed<string> {
  return nameForm.test(name)
    ? parsed(name)
    : unparsable("must be 1 to 63 lower-case letters, digits and dashes, beginning with a letter");
}

/** Reads existing categories without repeats; refuses others, because a mistyped category would silently show nothing. */
function parseCategories(categories: readonly string[]): Parsed<readonly string[]> {
  const asked = [...new Set(categories)].sort();
  if (asked.length === 0 || asked.length > storeReaderCategoryLimit)
    return unparsable(`must be 1 to ${String(storeReaderCategoryLimit)} categories, or all`);
  if (asked.length > 1 && asked.includes("all")) return unparsable("must be all, or categories without all");
  const unknown = asked.find((each) => each !== "all" && !ownCategories.includes(each));
  return unknown === undefined
    ? parsed(asked)
    : unparsable(`must be all, or some of ${ownCategories.join(", ")}`);
}
