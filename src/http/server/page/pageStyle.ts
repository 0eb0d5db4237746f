/** The look of the console for pages without scripts; the colours are those of src/console/app/tokens.css. */
export const STYLE = `:root{color-scheme:light dark;--line:#e4e7ec;--field-line:#cbd1db;--muted:#5b6472;--ground:#f7f8fa;--panel:#fff;--field:#fff;--text:#171b22;--busy:#3454bd}
@media(prefers-color-scheme:dark){:root{--line:#2a2f38;--field-line:#3a414e;--muted:#a0a9b8;--ground:#121519;--panel:#191d23;--field:#121519;--text:#dfe3ea;--busy:#93aaf5}}
*{box-sizing:border-box}body{font:13px/20px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;margin:0;background:var(--ground);color:var(--text)}
a{color:var(--busy);text-decoration:none}a:hover{text-decoration:underline}code{font:12px ui-monospace,Menlo,monospace}
header{display:flex;flex-wrap:wrap;gap:0 16px;align-items:center;min-height:48px;padding:8px 24px;background:var(--panel);border-bottom:1px solid var(--line)}header a strong{font-size:14px;color:var(--text)}header nav{overflow-wrap:anywhere;color:var(--muted)}
main{max-width:72rem;margin:24px;padding:24px;background:var(--panel);border:1px solid var(--line);border-radius:8px;overflow-x:auto}
h1{font-size:20px;line-height:28px;font-weight:600;margin:0;overflow-wrap:anywhere}h2{font-size:14px;line-height:20px;font-weight:600;margin:32px 0 8px}
.about{margin:4px 0 16px;max-width:44rem}time{white-space:nowrap}table{border-collapse:collapse}
th,td{text-align:left;vertical-align:top;padding:6px 24px 6px 0;border-top:1px solid var(--line)}tr:first-child>th,tr:first-child>td{border-top:0}td>table{margin:-6px 0}
th{font-weight:400;color:var(--muted);white-space:nowrap}td{overflow-wrap:anywhere;font-variant-numeric:tabular-nums}td td{max-width:24rem;min-width:4rem}
ul{margin:0;padding:0;list-style:none}.links{columns:3}.none,.about,footer,small{color:var(--muted)}small{font-size:12px;line-height:16px}
footer{margin:0 24px 24px;font-size:12px}details{border-top:1px solid var(--line);padding:8px 0}summary{cursor:pointer;font-weight:500}details .about{margin:8px 0}
form{display:grid;gap:16px;max-width:30rem;margin:16px 0}form div{display:grid;gap:4px}label{font-weight:500}
input,select{font:inherit;width:100%;min-height:36px;padding:6px 12px;border:1px solid var(--field-line);border-radius:6px;background:var(--field);color:inherit}:focus-visible{outline:2px solid var(--busy);outline-offset:1px}
button{font:inherit;font-weight:500;min-height:32px;background:#3454bd;color:#fff;border:0;border-radius:6px;justify-self:start;padding:6px 16px;cursor:pointer}button:hover{background:#2c4aa8}
@media(max-width:640px){header{padding:8px 16px}main{margin:16px;padding:16px}footer{margin:0 16px 16px}.links{columns:1}th,td{padding-right:12px}}`;
