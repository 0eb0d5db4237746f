// Writes THIRD_PARTY_NOTICES: every package whose code is in dist or that Steward needs at run time, with its licence text.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { project } from '../ready.mjs';

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:$|[.-])/i;
const RULE = '-'.repeat(80);

/** The texts of licences that packages declare without a file. */
const STANDARD_TEXTS = {
  MIT: `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`,
  ISC: `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted,
provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR
CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF
CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`,
};

const HEAD = `Steward contains or needs the software below. Each package is listed with the licence that it declares, followed by the
licence texts that it comes with. "in dist" means that its code is part of a file in that folder; all others are
packages of their own in node_modules.
`;

/** The texts of the licence files of a package, each without differences of white space at the ends of lines. */
function licenceTexts(folder) {
  return readdirSync(folder)
    .filter((name) => LICENCE_FILE.test(name))
    .toSorted()
    .map((name) =>
      readFileSync(join(folder, name), 'utf8')
        .replaceAll(/[ \t\r]+$/gm, '')
        .trim(),
    );
}

/** The copyright holder, for a package without a licence file. */
function authorOf(folder) {
  const { author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return typeof author === 'string' ? author : (author?.name ?? 'the authors of the package');
}

/** Only the packages of one platform are installed, and the notices must not depend on which one that is. */
function textOf({ name, license, folder, isForOnePlatform }) {
  if (isForOnePlatform) return 'The native part of another package of this list, under the same licence.';
  const texts = licenceTexts(folder);
  if (texts.length > 0) return texts.join('\n\n');
  return [`${name} comes without a licence file.`, `Copyright ${authorOf(folder)}`, STANDARD_TEXTS[license] ?? []]
    .flat()
    .join('\n\n');
}

function titleOf({ name, version, license, bundledIn }) {
  if (license === undefined) throw new Error(`${name} ${version} declares no licence`);
  const places = bundledIn.length === 0 ? '' : `, in ${bundledIn.join(' and ')}`;
  return `${name} ${version} (${license}${places})`;
}

/** One entry for each version of a package, with all folders of dist that have its code. */
function merged(packages) {
  const found = new Map();
  for (const one of packages) {
    const key = `${one.name} ${one.version}`;
    const known = found.get(key) ?? { ...one, bundledIn: [] };
    if (one.bundledIn !== undefined) known.bundledIn.push(one.bundledIn);
    found.set(key, known);
  }
  return [...found.keys()].toSorted((one, other) => (one < other ? -1 : 1)).map((key) => found.get(key));
}

/** Writes the notices. Packages with the same licence text share it. */
export function notices(bundled, runtime) {
  const titlesByText = new Map();
  for (const one of merged([...bundled, ...runtime])) {
    const text = textOf(one);
    titlesByText.set(text, [...(titlesByText.get(text) ?? []), titleOf(one)]);
  }
  const sections = [...titlesByText].map(([text, titles]) => `${RULE}\n${titles.join('\n')}\n\n${text}\n`);
  const { name, version, license } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  return `${name} ${version} is licensed under ${license}, see LICENSE.\n\n${HEAD}\n${sections.join('\n')}`;
}
