// The front page shows one machine and one question, which the address names: index.html#machine/question.
const pick = document.querySelector('.pick');

function svg(parent, name, attributes, text) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

// The rates and bytes in a column of a table. One that nobody beats in both is on the front.
function points(table, column) {
  const list = [];
  for (const row of table.tBodies[0].rows) {
    const [rate, bytes] = (row.cells[column].dataset.at ?? '').split(' ').map(parseFloat);
    if (rate > 0 && bytes > 0) list.push({ name: row.cells[0].textContent, rate, bytes });
  }
  for (const p of list) p.front = !list.some(q => q.rate >= p.rate && q.bytes <= p.bytes && (q.rate > p.rate || q.bytes < p.bytes));
  return list.sort((p, q) => p.bytes - q.bytes || p.rate - q.rate);
}

// About four round numbers up to a value.
function ticks(low, high) {
  const rough = (high - low) / 4, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(x => x * power).find(x => x >= rough), list = [];
  for (let x = Math.ceil(low / step) * step; x <= high; x += step) list.push(Number(x.toPrecision(6)));
  return list;
}

// A name goes beside its point, where it covers neither a name nor a point.
function placed(x, y, width, right, taken) {
  const spots = [[8, 4], [-8 - width, 4], [-width / 2, -9], [-width / 2, 18], [8, -9], [8, 18], [-8 - width, -9], [-8 - width, 18]];
  const free = ([dx, dy]) => {
    const box = [x + dx, y + dy - 11, x + dx + width, y + dy + 2];
    return box[0] > 44 && box[2] < right && !taken.some(b => b[0] < box[2] && box[0] < b[2] && b[1] < box[3] && box[1] < b[3]);
  };
  const spot = spots.find(free);
  if (spot) taken.push([x + spot[0], y + spot[1] - 11, x + spot[0] + width, y + spot[1] + 2]);
  return spot;
}

const number = rate => rate.toLocaleString('en', { maximumSignificantDigits: Math.max(3, Math.ceil(Math.log10(rate))) });

function scatter(figure, table, column) {
  const list = points(table, column);
  figure.replaceChildren();
  figure.hidden = list.length < 2;
  if (figure.hidden) return;
  const width = Math.max(300, figure.clientWidth), height = Math.min(420, Math.max(260, width * 0.5));
  const least = Math.min(...list.map(p => p.bytes)), most = Math.max(...list.map(p => p.bytes)), room = Math.max(0.08 * (most - least), 0.5);
  const low = Math.max(0, least - room), high = most + room, top = 1.08 * Math.max(...list.map(p => p.rate));
  const x = b => 48 + (b - low) / (high - low) * (width - 60), y = r => height - 40 - r / top * (height - 56);
  const front = list.filter(p => p.front), words = front.map(p => `${p.name} (${p.bytes} bytes, ${number(p.rate)} Mop/s)`).join(', ');
  const picture = svg(figure, 'svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `Rate against bytes a pair of ${list.length} tables` });
  for (const r of ticks(0, top)) {
    svg(picture, 'line', { x1: 48, x2: width - 12, y1: y(r), y2: y(r) });
    svg(picture, 'text', { x: 42, y: y(r) + 4, 'text-anchor': 'end', class: 'axis' }, r.toLocaleString('en'));
  }
  for (const b of ticks(low, high)) svg(picture, 'text', { x: x(b), y: height - 22, 'text-anchor': 'middle', class: 'axis' }, b);
  svg(picture, 'text', { x: width - 12, y: height - 4, 'text-anchor': 'end', class: 'axis' }, 'bytes a pair: fewer is better');
  svg(picture, 'text', { x: 0, y: 10, class: 'axis' }, 'million operations a second');
  svg(picture, 'path', { d: front.map((p, i) => (i ? `H${x(p.bytes)}V` : `M${x(p.bytes)} `) + y(p.rate)).join('') });
  const taken = front.slice(1).flatMap((p, i) => {
    const before = front[i], step = [x(before.bytes) + 5, y(before.rate) - 1, x(p.bytes), y(before.rate) + 1];
    return [step, [x(p.bytes) - 1, y(p.rate), x(p.bytes) + 1, y(before.rate)]];
  }).concat(list.map(p => [x(p.bytes) - 5, y(p.rate) - 5, x(p.bytes) + 5, y(p.rate) + 5]));
  const others = list.filter(p => !p.front), kind = p => p.front ? 'front' : 'other';
  for (const p of others.concat(front)) {
    const dot = svg(picture, 'circle', { cx: x(p.bytes), cy: y(p.rate), r: 4.5, class: kind(p) });
    svg(dot, 'title', {}, `${p.name}: ${number(p.rate)} Mop/s, ${p.bytes} bytes a pair`);
  }
  for (const p of front.concat(others)) {
    const name = svg(picture, 'text', { class: kind(p) }, p.name), spot = placed(x(p.bytes), y(p.rate), name.getComputedTextLength(), width - 4, taken);
    if (spot) { name.setAttribute('x', x(p.bytes) + spot[0]); name.setAttribute('y', y(p.rate) + spot[1]); } else name.remove();
  }
  const caption = document.createElement('figcaption');
  caption.textContent = `No table is both smaller and faster than these: ${words}.`;
  figure.append(caption);
}

// The address may have been typed.
function named() {
  try {
    return decodeURIComponent(location.hash.slice(1)).split('/');
  } catch {
    return [];
  }
}

function show() {
  const [machine, question] = named();
  for (const [select, value] of [[pick.elements.machine, machine], [pick.elements.question, question]]) {
    if (Array.from(select.options).some(o => o.value === value)) select.value = value;
  }
  for (const list of document.querySelectorAll('.questions, .answers')) {
    list.dataset.picked = '';
    for (const item of list.children) item.hidden = item.dataset.question !== pick.elements.question.value;
  }
  for (const section of document.querySelectorAll('.machine')) {
    section.hidden = section.id !== pick.elements.machine.value;
    if (section.hidden) continue;
    const table = section.querySelector('table'), column = 1 + pick.elements.question.selectedIndex;
    for (const row of table.rows) for (const cell of row.cells) cell.classList.toggle('chosen', cell.cellIndex === column);
    const titles = table.tHead.rows[0].cells, title = titles[column], box = table.parentNode;
    box.scrollLeft = title.offsetLeft + title.offsetWidth > box.clientWidth ? title.offsetLeft - titles[0].offsetWidth - 40 : 0;
    scatter(section.querySelector('.scatter'), table, column);
  }
}

if (pick) {
  pick.hidden = false;
  pick.addEventListener('submit', event => event.preventDefault());
  pick.addEventListener('change', () => { location.hash = `${pick.elements.machine.value}/${encodeURIComponent(pick.elements.question.value)}`; });
  for (const event of ['hashchange', 'resize']) addEventListener(event, show);
  show();
}

// Steps are shown one by one: buttons, arrow keys, and a timer.
function playable(play) {
  const list = play.querySelector('.stills'), stills = Array.from(list.children), keys = document.createElement('div'), count = document.createElement('span');
  let at = 0, timer = 0;
  const go = to => {
    at = Math.min(Math.max(to, 0), stills.length - 1);
    stills.forEach((still, i) => { still.hidden = i !== at; });
    count.textContent = `${at + 1} of ${stills.length}`;
  };
  const stop = () => { clearInterval(timer); timer = 0; start.textContent = 'Play'; };
  const button = (text, label, does) => {
    const b = document.createElement('button');
    b.type = 'button';
    b.textContent = text;
    b.setAttribute('aria-label', label);
    b.addEventListener('click', does);
    keys.append(b);
    return b;
  };
  button('←', 'Step back', () => { stop(); go(at - 1); });
  const start = button('Play', 'Play or stop', () => {
    if (timer) return stop();
    if (at === stills.length - 1) go(0);
    start.textContent = 'Stop';
    timer = setInterval(() => { go(at + 1); if (at === stills.length - 1) stop(); }, 1200);
  });
  button('→', 'Step on', () => { stop(); go(at + 1); });
  count.setAttribute('role', 'status');
  keys.className = 'keys';
  keys.append(count);
  list.dataset.picked = '';
  list.before(keys);
  play.tabIndex = 0;
  play.setAttribute('role', 'group');
  play.setAttribute('aria-label', `${play.querySelector('h3').textContent}: left and right arrow keys step`);
  play.addEventListener('keydown', event => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) { event.preventDefault(); stop(); go(at + step); }
  });
  go(0);
}

document.querySelectorAll('.play').forEach(playable);
