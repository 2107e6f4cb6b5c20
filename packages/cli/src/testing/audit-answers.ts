export const charged = {
  index: 41n,
  stream: "account-7",
  revision: 3n,
  id: "00000000-0000-4000-8000-000000000041",
  type: "BalanceCharged.v1",
  time: "2026-03-01T10:00:00.000003Z",
  data: '{"chargeId":"registration-1","invoiceId":101,"grossCents":"1190","balanceAfterCents":"8810","chargedAt":"2026-03-01T10:00:00.000001Z"}',
  metadata: '{"actor":"account:7","requestId":"request-1","recordedBy":"spec","commandId":"c"}',
};

export const statement = {
  accountId: 7n,
  name: "Ada",
  asOf: "2026-03-02T23:59:59.999999Z",
  openingBalanceCents: 10_000n,
  movements: [
    {
      type: "BalanceCharged.v1",
      time: charged.time,
      revision: 3n,
      amountCents: -1_190n,
      balanceAfterCents: 8_810n,
      cause: "registration-1",
      documentNumber: "2026-7-000001",
      documentId: 101n,
      description: '=HYPERLINK("x")',
      actor: "account:7",
      requestId: "request-1",
    },
  ],
  closingBalanceCents: 8_810n,
};

export const explanation = {
  number: "2026-7-000001",
  invoiceId: 101n,
  accountId: 7n,
  cause: "registration-1",
  grossCents: 1_190n,
  outcome: "open",
  steps: [
    {
      kind: "charge",
      text: "11.90 EUR was charged.",
      event: charged,
      actor: "account:7",
      requestId: "request-1",
    },
  ],
};
