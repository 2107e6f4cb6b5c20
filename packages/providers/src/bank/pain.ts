import { formatEuros, type Payout, type PayoutFile } from "@hostledger/core";
import XMLBuilder from "fast-xml-builder";

/** Maximum characters of names and texts in SEPA messages. */
const longest = { name: 70, text: 140 };

/** Stands for what nobody named, in the SEPA's own words. */
const notProvided = "NOTPROVIDED";

const builder = new XMLBuilder({
  attributeNamePrefix: "@",
  ignoreAttributes: false,
  format: true,
  indentBy: "  ",
  suppressEmptyNode: false,
});

/**
 * Writes a file of SEPA credit transfers (ISO 20022, pain.001.001.09). Equal payouts give equal bytes. A lost file
 * can therefore be written again, and the bank refuses it if it has a file with the same message id. The bank books
 * each transfer separately.
 */
export function creditTransferFile(file: PayoutFile, payouts: readonly Payout[]): string {
  const count = String(payouts.length);
  const sum = decimal(file.amountCents);
  const debtor = { Nm: sepaText(file.debtorName, longest.name) };
  const transfers = {
    PmtInfId: file.messageId,
    PmtMtd: "TRF",
    BtchBookg: "false",
    NbOfTxs: count,
    CtrlSum: sum,
    PmtTpInf: { SvcLvl: { Cd: "SEPA" } },
    ReqdExctnDt: { Dt: file.executeOn },
    Dbtr: debtor,
    DbtrAcct: { Id: { IBAN: file.fromIban } },
    DbtrAgt: {
      FinInstnId: file.fromBic === "" ? { Othr: { Id: notProvided } } : { BICFI: file.fromBic },
    },
    ChrgBr: "SLEV",
    CdtTrfTxInf: payouts.map(({ endToEndId, amountCents, name, iban }) => ({
      PmtId: { EndToEndId: endToEndId },
      Amt: { InstdAmt: { "@Ccy": "EUR", "#text": decimal(amountCents) } },
      Cdtr: { Nm: sepaText(name, longest.name) },
      CdtrAcct: { Id: { IBAN: iban } },
      RmtInf: { Ustrd: sepaText(`Payout ${endToEndId} ${file.debtorName}`, longest.text) },
    })),
  };
  const root = {
    Document: {
      "@xmlns": "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09",
      CstmrCdtTrfInitn: {
        GrpHdr: {
          MsgId: file.messageId,
          CreDtTm: `${file.madeAt.slice(0, 19)}Z`,
          NbOfTxs: count,
          CtrlSum: sum,
          InitgPty: debtor,
        },
        PmtInf: transfers,
      },
    },
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build(root)}`;
}

function decimal(cents: bigint): string {
  return formatEuros(cents);
}

/** Letters that have no accent to lose, in the characters that banks of the SEPA take. */
const letters = new Map(
  "ß=ss æ=ae œ=oe ø=o ł=l đ=d ð=d þ=th ı=i Æ=Ae Œ=Oe Ø=O Ł=L Đ=D Ð=D Þ=Th"
    .split(" ")
    .map((pair) => [pair.slice(0, 1), pair.slice(2)]),
);

/** Returns a text in the characters that banks of the SEPA take: others lose their accents or become a full stop. It is never empty. */
function sepaText(text: string, limit: number): string {
  const plain = text
    .replaceAll(/\p{L}/gu, (letter) => letters.get(letter) ?? letter)
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9/?:().,'+ -]/gu, ".")
    .slice(0, limit)
    .trim();
  return plain === "" ? notProvided : plain;
}
