'use strict';

// What a cell is sorted by: a number, its text, or null if it has none.
function keyOf(row, column, header) {
  const cell = row.cells[column];
  if (header.dataset.timed !== undefined && row.classList.contains('marked')) return null;
  const text = cell.textContent.trim();
  if (!header.classList.contains('number')) return text === '' ? null : text;
  const number = parseFloat(cell.dataset.number ?? text.replaceAll(',', ''));
  return Number.isNaN(number) ? null : number;
}

const words = new Intl.Collator('en', { numeric: true });

// Rows without a key are last in both directions. Equal ones keep their order.
function sort(table, header) {
  const column = header.cellIndex, body = table.tBodies[0];
  const falling = header.getAttribute('aria-sort') === 'ascending';
  for (const other of header.parentNode.cells) other.removeAttribute('aria-sort');
  header.setAttribute('aria-sort', falling ? 'descending' : 'ascending');
  const sign = falling ? -1 : 1;
  const rows = Array.from(body.rows, row => [keyOf(row, column, header), row]);
  rows.sort(([a], [b]) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (typeof a === 'number' ? a - b : words.compare(a, b));
  });
  body.append(...rows.map(([, row]) => row));
}

// Only rows that contain all words of the text are shown.
function filter(table, text, count) {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean), rows = table.tBodies[0].rows;
  let shown = 0;
  for (const row of rows) {
    const content = Array.from(row.cells, cell => cell.textContent).join(' ').toLowerCase();
    row.hidden = !wanted.every(word => content.includes(word));
    shown += !row.hidden;
  }
  count.textContent = `${shown} of ${rows.length} rows`;
}

for (const table of document.querySelectorAll('table.sortable')) {
  for (const header of table.tHead.rows[0].cells) {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...header.childNodes);
    button.addEventListener('click', () => sort(table, header));
    header.append(button);
  }
  const rows = table.tBodies[0].rows.length;
  if (rows < 10) continue;
  const bar = document.createElement('p'), field = document.createElement('input'), count = document.createElement('span');
  bar.className = 'filter';
  field.type = 'search';
  field.placeholder = 'Filter rows';
  field.setAttribute('aria-label', 'Filter rows');
  field.addEventListener('input', () => filter(table, field.value, count));
  bar.append(field, count);
  count.textContent = `${rows} rows`;
  table.parentNode.before(bar);
}

