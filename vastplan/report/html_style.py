"""The looks of the page: system fonts, light or dark as the reader prefers, and a form that prints. It loads no file and no font from
any host."""

STYLE = """
:root { color-scheme: light dark;
  --ground: #fbfbfa; --card: #fff; --ink: #1d2126; --soft: #5b6470; --line: #dfe2e6; --faint: #f1f2f4; --link: #0b5cad;
  --create: #1a7f4b; --update: #8a5a00; --replace: #8b3fb2; --delete: #c0272d; --adopt: #1667b8; --release: #66707c; }
@media (prefers-color-scheme: dark) { :root {
  --ground: #14171b; --card: #1b1f25; --ink: #e6e8eb; --soft: #a0a9b5; --line: #323a44; --faint: #232931; --link: #7fb6f0;
  --create: #5cc98d; --update: #e0ac4e; --replace: #cf93ee; --delete: #ff8a85; --adopt: #7fb6f0; --release: #a0a9b5; } }
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif }
main, header, footer { max-width: 1480px; margin: 0 auto; padding: 0 24px }
header { padding-top: 32px } footer { padding: 24px; color: var(--soft); font-size: 13px }
h1 { font-size: 15px; font-weight: 500; color: var(--soft); margin: 0 }
h2 { font-size: 18px; font-weight: 600; margin: 40px 0 12px }
h3 { font-size: 15px; margin: 22px 0 8px; overflow-wrap: anywhere } summary h3 { margin: 0; display: inline }
.verdict { font-size: 26px; line-height: 1.25; font-weight: 600; letter-spacing: -.01em; margin: 6px 0 16px; max-width: 40em }
.facts { display: flex; flex-wrap: wrap; gap: 8px 24px; margin: 0 0 8px; padding: 0; list-style: none; color: var(--soft) }
.facts b { color: var(--ink); font-variant-numeric: tabular-nums }
code { font: .92em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
  unicode-bidi: isolate; overflow-wrap: anywhere }
.skip { position: absolute; left: -999px } .skip:focus { left: 8px; top: 8px; background: var(--card); padding: 8px; z-index: 9 }
a { color: var(--link) } :focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
.notes { list-style: none; margin: 0; padding: 0 } .notes li { padding: 6px 0 6px 12px; border-left: 3px solid var(--line); margin: 6px 0;
  overflow-wrap: anywhere }
.notes .error { border-color: var(--delete) } .notes .warning { border-color: var(--update) }
figure { margin: 0 0 12px; background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow-x: auto }
figure svg { display: block; max-width: max(100%, 900px); height: auto }
figcaption { padding: 8px 14px; color: var(--soft); font-size: 13px; border-top: 1px solid var(--line); position: sticky; left: 0 }
svg text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; fill: var(--ink); font-size: 13px }
svg .head { fill: var(--soft); font-size: 12px; font-weight: 600 } svg .under { fill: var(--soft); font-size: 11px }
svg .box { fill: var(--faint); stroke: var(--line) } svg .loose .box { stroke-dasharray: 3 3; fill: none }
svg path { fill: none; stroke: var(--soft); stroke-opacity: .45; stroke-width: 1.25 }
svg path.new { stroke: var(--create); stroke-opacity: 1 } svg path.gone { stroke: var(--delete); stroke-opacity: 1; stroke-dasharray: 4 3 }
svg path.amiss { stroke: var(--delete); stroke-opacity: 1; stroke-dasharray: 4 3 }
svg path.tip { fill: var(--soft); stroke: none } svg path.tip.amiss { fill: var(--delete) }
svg .sign { font-weight: 700; font-size: 14px; text-anchor: end }
svg .stop { font-size: 11px }
svg path.curve { stroke: var(--link); stroke-opacity: 1; stroke-width: 2 } svg path.grid { stroke: var(--line); stroke-opacity: 1; stroke-width: 1 }
svg path.mark { stroke-opacity: 1; stroke-dasharray: 5 3 } svg path.chosen { stroke: var(--ink); stroke-dasharray: none }
svg path.best { stroke: var(--create) } svg path.write { stroke: var(--update) } svg text.chosen { fill: var(--ink); font-weight: 600 }
svg text.best { fill: var(--create) } svg text.write { fill: var(--update) } svg .tick { text-anchor: end } svg .middle { text-anchor: middle }
.figures { font-variant-numeric: tabular-nums } .figures th, .figures td { padding: 5px 14px } .figures thead th { font-size: 12px; color: var(--soft) }
.figures tbody th { font-weight: 400 } .figures tbody tr { border-top: 1px solid var(--line) } .figures tr.stop { color: var(--delete) }
fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: center }
legend { float: left; padding: 0 6px 0 0; color: var(--soft); min-width: 4em } label { white-space: nowrap; cursor: pointer }
input { accent-color: var(--link); margin: 0 5px 0 0 }
.filters { display: grid; gap: 6px; padding: 12px 14px; background: var(--card); border: 1px solid var(--line); border-radius: 10px }
.group { margin: 14px 0; border: 1px solid var(--line); border-radius: 10px; background: var(--card); overflow: hidden }
.group > summary { padding: 10px 14px; cursor: pointer } .group .count { color: var(--soft); font-weight: 400 }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: 9px 14px }
.plan > thead th { font-size: 12px; color: var(--soft); font-weight: 600; background: var(--faint); padding: 5px 14px }
.plan > tbody > tr { border-top: 1px solid var(--line) } .plan > tbody > tr > th { font-weight: 400; width: 24% }
.plan > tbody > tr > td:has(> code) { min-width: 10em } .plan > tbody > tr > td[data-label="Field"] { min-width: 17em }
.verb { font-weight: 600; white-space: nowrap; width: 7.5em } .kind { color: var(--soft); display: block; font-size: 13px }
.why p { margin: 0 0 4px } .stop { color: var(--delete) } .fix, .seen, .quiet { color: var(--soft) } .who { width: 20% }
.fields { margin-top: 4px; font-size: 13.5px } .fields th, .fields td { padding: 3px 14px 3px 0; font-weight: 400 }
.fields thead th { color: var(--soft); font-size: 12px } .fields tbody tr { border-top: 1px solid var(--line) }
details > summary { cursor: pointer } .list ul { margin: 2px 0 8px; padding-left: 20px }
.v-create .verb, .v-create .sign { color: var(--create); fill: var(--create) } .v-update .verb, .v-update .sign { color: var(--update); fill: var(--update) }
.v-replace .verb, .v-replace .sign { color: var(--replace); fill: var(--replace) } .v-delete .verb, .v-delete .sign { color: var(--delete); fill: var(--delete) }
.v-adopt .verb, .v-adopt .sign { color: var(--adopt); fill: var(--adopt) } .v-release .verb, .v-release .sign { color: var(--release); fill: var(--release) }
svg .v-create .box { stroke: var(--create) } svg .v-update .box { stroke: var(--update) } svg .v-replace .box { stroke: var(--replace) }
svg .v-delete .box { stroke: var(--delete); stroke-dasharray: 4 3 } svg .v-adopt .box { stroke: var(--adopt) } svg .v-release .box { stroke: var(--release) }
body:has(#only-blocked:checked) .plan > tbody > tr:not(.blocked) { display: none }
body:has(#view-before:checked) svg :is(.v-create, .new) { display: none }
body:has(#view-after:checked) svg :is(.v-delete, .gone) { display: none }
@media (min-width: 761px) { .fields th code { overflow-wrap: break-word } }
@media (max-width: 760px) {
  main, header, footer { padding-left: 14px; padding-right: 14px } .verdict { font-size: 21px }
  .plan > thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden }
  .plan, .plan > tbody, .plan > tbody > tr, .plan > tbody > tr > :is(th, td) { display: block; width: auto }
  .plan > tbody > tr { padding: 8px 0 } .plan > tbody > tr > :is(th, td) { padding: 2px 14px }
  td[data-label]:not(:empty)::before { content: attr(data-label) ": "; color: var(--soft) }
}
@media print {
  body { background: none; font-size: 11px } .filters, .skip { display: none }
  .group, figure { break-inside: auto; border-radius: 0 } tr { break-inside: avoid } figure svg { max-width: 100% }
}
"""

LONG_STYLE = """
[hidden] { display: none !important } input[type=search] { font: inherit; min-width: 18em; max-width: 100%; padding: 3px 8px;
  color: var(--ink); background: var(--ground); border: 1px solid var(--line); border-radius: 6px }
output { color: var(--soft) } .plan code { unicode-bidi: plaintext }
.f { list-style: none; margin: 2px 0; padding: 0 } .f li { padding: 1px 0 } .f span { color: var(--soft); font-size: 13px }
.each { margin-top: 4px } .of { margin: 4px 0; padding: 0; list-style: none; columns: 34em; font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo,
  Consolas, "Liberation Mono", monospace } .of li { overflow-wrap: anywhere; break-inside: avoid; unicode-bidi: plaintext } .of i { color: var(--soft);
  font-style: normal }
.short > tbody > tr > :first-child { font-weight: 600; white-space: nowrap; width: 7.5em } .short th p { margin: 0; color: var(--soft); font-size: 13px }
.short td p { margin: 0 0 4px } .short > tbody > tr > :last-child { width: 20% }
.short .v-create > :first-child { color: var(--create) } .short .v-update > :first-child { color: var(--update) }
.short .v-replace > :first-child { color: var(--replace) } .short .v-delete > :first-child { color: var(--delete) }
.short .v-adopt > :first-child { color: var(--adopt) } .short .v-release > :first-child { color: var(--release) }
.by-tenant { margin: 12px 0 } .tenants { columns: 34em; list-style: none; padding: 0 }
@media (min-width: 761px) { .fields th code { overflow-wrap: break-word } }
@media (max-width: 760px) { .short > tbody > tr > * { width: auto !important } }
"""
"""The style that a long page adds: groups of similar actions, and the box that filters by text."""
