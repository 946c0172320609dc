"use strict";
// Shows the steps of a job as they come. No request leaves the page but that for its steps.
(() => {
  const $ = id => document.getElementById(id);
  const GROUPS = ["put", "get", "accumulate", "atomic", "other"];
  const MOST_STEPS = 600;
  const STATES = {computes: "computing", waits: "waiting in a call", stopped: "stopped", died: "died", left: "left",
    expected: "not attached yet"};
  const DECIMAL = Array.from({length: 45}, (_, i) => [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3));
  const BINARY = Array.from({length: 50}, (_, i) => 2 ** i);
  let view = {level: "nodes"};
  let events = null;
  const page = Math.random().toString(36).slice(2); // of its connections the latest counts
  let series = {requests: [], bytes: []}; // each: times, then one list for each group
  let plots = {};

  // ---- numbers for people ----

  const scaled = (value, base, units) => {
    let unit = 0;
    while (value >= base && unit < units.length - 1) {
      value /= base;
      unit++;
    }
    return (unit === 0 || value >= 100 ? Math.round(value) : value.toPrecision(3)) + units[unit];
  };
  const count = value => scaled(value, 1000, ["", " k", " M", " G", " T"]);
  const bytes = value => scaled(value, 1024, [" B", " KiB", " MiB", " GiB", " TiB"]);
  const micros = us => us >= 1e6 ? (us / 1e6).toPrecision(3) + " s" : us >= 1e4 ? (us / 1e3).toPrecision(3) + " ms"
    : us >= 1000 ? (us / 1e3).toPrecision(2) + " ms" : us.toPrecision(3) + " µs";
  const seconds = s => s < 60 ? s.toFixed(1) + " s" : s < 3600 ? Math.floor(s / 60) + " min " + Math.floor(s % 60) + " s"
    : Math.floor(s / 3600) + " h " + Math.floor(s % 3600 / 60) + " min";

  // ---- tables ----

  const table = (id, rows) => {
    const body = $(id).tBodies[0];
    while (body.rows.length > rows.length) {
      body.deleteRow(-1);
    }
    rows.forEach((cells, r) => {
      const row = body.rows[r] || body.insertRow();
      cells.forEach((cell, c) => {
        const at = row.cells[c] || row.insertCell();
        const text = String(cell);
        if (at.textContent !== text) {
          at.textContent = text;
        }
      });
    });
    return body;
  };
  const text = (id, value) => {
    if ($(id).textContent !== value) {
      $(id).textContent = value;
    }
  };

  // ---- plots ----

  const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const draw = (id, kind, format, steps) => {
    if (plots[kind]) {
      plots[kind].destroy();
    }
    const box = $(id);
    const axis = {stroke: colour("quiet"), grid: {stroke: colour("line"), width: 1}, ticks: {show: false}};
    plots[kind] = new uPlot({
      width: box.clientWidth, height: 190,
      scales: {y: {range: (u, low, high) => [0, Math.max(high * 1.05, 1)]}},
      axes: [axis, {...axis, size: 70, incrs: steps, values: (u, values) => values.map(format)}],
      series: [{value: (u, t) => t === null ? "" : new Date(t * 1000).toLocaleTimeString()},
        ...GROUPS.map(group => ({label: group, stroke: colour(group), width: 1.5, points: {show: false},
          value: (u, value) => value === null || value === undefined ? "" : format(value)}))],
    }, series[kind], box);
  };
  const drawAll = () => {
    if (series.requests.length > 0) {
      draw("plot-requests", "requests", count, DECIMAL);
      draw("plot-bytes", "bytes", bytes, BINARY);
    }
  };
  const addToPlots = step => {
    ["requests", "bytes"].forEach((kind, which) => {
      const data = series[kind];
      if (data[0].length > 0 && data[0][data[0].length - 1] >= step.time / 1000) {
        return;
      }
      data[0].push(step.time / 1000);
      step.groups.forEach((rate, group) => data[group + 1].push(rate[which]));
      if (data[0].length > MOST_STEPS) {
        data.forEach(list => list.shift());
      }
      plots[kind].setData(data);
    });
  };

  // ---- who talks to whom ----

  let shape = "";
  const buildMatrix = matrix => {
    const box = $("matrix");
    box.replaceChildren();
    box.style.gridTemplateColumns = "3.2rem repeat(" + matrix.columns.length + ", minmax(0, 1fr))";
    const label = (value, name) => {
      const span = document.createElement("span");
      span.textContent = value;
      span.className = name;
      box.append(span);
    };
    label("", "row");
    const few = matrix.columns.length <= 24;
    matrix.columns.forEach((column, c) => label(few || c % 8 === 0 ? column[0] : "", "column"));
    matrix.rows.forEach((row, r) => {
      label(few || r % 4 === 0 ? row[0] : "", "row");
      matrix.columns.forEach(column => {
        const cell = document.createElement("i");
        cell.dataset.what = matrix.level.slice(0, -1) + " " + row[0] + " → " + column[0];
        cell.addEventListener("mouseenter", () => text("matrix-hover", cell.dataset.what + ": " + (cell.dataset.rate || "nothing")));
        cell.addEventListener("click", () => zoom(matrix.level, row, column));
        box.append(cell);
      });
    });
  };
  const showMatrix = matrix => {
    const now = JSON.stringify([matrix.level, matrix.rows, matrix.columns]);
    if (now !== shape) {
      shape = now;
      buildMatrix(matrix);
    }
    text("matrix-what", "by " + matrix.level);
    text("matrix-level", matrix.level === "nodes" ? "ranks" : "nodes");
    const most = Math.max(1, ...matrix.cells.map(cell => cell[2]));
    const byPlace = new Map(matrix.cells.map(cell => [cell[0] * matrix.columns.length + cell[1], cell]));
    $("matrix").querySelectorAll("i").forEach((element, place) => {
      const cell = byPlace.get(place);
      const share = cell ? 12 + 88 * Math.sqrt(cell[2] / most) : 0;
      element.style.background = cell ? "color-mix(in oklab, var(--accent) " + share.toFixed(0) + "%, var(--back))" : "";
      element.dataset.rate = cell ? count(cell[2]) + " operations/s, " + bytes(cell[3]) + "/s" : "";
    });
  };
  // A row or column: its name, from and to in its level, from and to in ranks.
  const zoom = (level, row, column) => {
    const single = row[2] - row[1] === 1 && column[2] - column[1] === 1;
    if (single && level === "ranks") {
      return;
    }
    view = single ? {level: "ranks", rows: row[3] + "-" + row[4], columns: column[3] + "-" + column[4]}
      : {level, rows: row[1] + "-" + row[2], columns: column[1] + "-" + column[2]};
    connect();
  };

  // ---- one step ----

  const showRanks = states => {
    const legend = $("rank-counts");
    legend.replaceChildren(...Object.entries(states.counts).filter(entry => entry[1] > 0).map(([name, number]) => {
      const item = document.createElement("span");
      const mark = document.createElement("i");
      mark.className = name[0];
      item.append(mark, " " + number + " " + STATES[name]);
      return item;
    }));
    const numbers = [];
    if (/^[0-9, -]*$/.test(states.ranks)) { // otherwise too many pieces: a square has no number then
      states.ranks.split(", ").filter(Boolean).forEach(range => {
        const [from, to] = range.split("-").map(Number);
        for (let rank = from; rank <= (to === undefined ? from : to); rank++) {
          numbers.push(rank);
        }
      });
    }
    const box = $("ranks");
    while (box.children.length > states.letters.length) {
      box.lastChild.remove();
    }
    [...states.letters].forEach((letter, place) => {
      const square = box.children[place] || box.appendChild(document.createElement("i"));
      if (square.className !== letter) {
        square.className = letter;
      }
      const name = Object.keys(STATES).find(key => key[0] === letter);
      square.title = (numbers.length > place ? "rank " + numbers[place] + ": " : "") + STATES[name];
    });
  };
  const showNodes = step => {
    text("nodes-count", step.nodes.length < step.job.nodes_seen ? "the busiest of " + step.job.nodes_seen : "");
    const body = table("nodes", step.nodes.map(node => [node.node, node.server + " (pid " + node.pid + ")",
      node.attached + "/" + node.ranks, count(node.rate[0]), bytes(node.rate[1]), node.segments,
      bytes(node.segment_bytes), bytes(node.request_ring_bytes), bytes(node.receive_ring_bytes), bytes(node.credit_bytes),
      node.channels, count(node.forwarded), count(node.combined),
      node.reply_buffers + " / " + node.reply_buffers_sending, bytes(node.kept_bytes), node.connections,
      node.fabric_regions + " / " + bytes(node.fabric_bytes) + " / " + node.fabric_channels,
      node.mutex_waiting + " / " + node.window_waiting + " / " + node.accumulate_waiting]));
    step.nodes.forEach((node, row) => {
      body.rows[row].cells[1].className = node.server.startsWith("runs") ? "" : "bad";
    });
  };
  const showProblems = (lines, number) => {
    const more = number - lines.length;
    $("problems").hidden = number === 0;
    $("problems").replaceChildren(...lines.concat(more > 0 ? ["and " + more + " more"] : []).map(line => {
      const item = document.createElement("li");
      item.textContent = line;
      return item;
    }));
  };
  let before = 0;
  const showStep = step => {
    const apart = before > 0 && step.time > before ? (step.time - before) / 1000 : 0;
    before = step.time;
    const counts = step.states.counts;
    const attached = counts.computes + counts.waits + counts.stopped;
    text("job", "job " + step.job.id + " · " + step.job.nodes + (step.job.nodes === 1 ? " node" : " nodes") + " · layout "
      + step.job.layout + " · " + seconds(step.job.age_ms / 1000)
      + (apart >= 2 ? " · a step each " + seconds(apart) : ""));
    const still = step.job.stands_still_ms >= 10000;
    $("state").className = "badge " + (still ? "still" : step.job.nodes_seen > 0 ? "runs" : "");
    text("state", still ? "in each rank a thread waits for " + seconds(step.job.stands_still_ms / 1000)
      : step.job.nodes_seen === 0 ? "starts or ends" : "runs");
    text("total-requests", count(step.total[0]));
    text("total-bytes", bytes(step.total[1]));
    text("total-ranks", String(attached));
    text("total-ranks-of", "of " + step.job.ranks + " ranks attached");
    text("total-waiting", String(counts.waits));
    text("total-memory", bytes(step.gauges.segment_bytes));
    text("total-rings", bytes(step.gauges.request_ring_bytes + step.gauges.receive_ring_bytes));
    text("total-credit", bytes(step.gauges.credit_bytes));
    text("matrix-others", step.others[0] === 0 ? "" : count(step.others[0]) + " operations/s, " + bytes(step.others[1])
      + "/s are not in the matrix: of each node its busiest pairs are told one by one, the rest is summed.");
    showProblems(step.problems.lines, step.problems.count);
    addToPlots(step);
    showMatrix(step.matrix);
    showRanks(step.states);
    text("waits-count", step.waits.count > step.waits.lines.length ? "the longest of " + step.waits.count : "");
    table("waits", step.waits.lines.map(wait => [wait.rank, seconds(wait.for_ms / 1000), wait.text, wait.whom]));
    table("latencies", step.latencies.map(kind => [kind[0], count(kind[1]), ...kind.slice(2).map(ns => micros(ns / 1000))]));
    table("operations", step.operations.map(operation => [operation[0], count(operation[1]), bytes(operation[2])]));
    table("hot", step.hot.map(target => [target[0], target[1], count(target[2]), bytes(target[3])]));
    showNodes(step);
  };

  // ---- the connection ----

  const connect = () => {
    if (events) {
      events.close();
    }
    events = new EventSource("events?" + new URLSearchParams({...view, page}));
    events.addEventListener("history", message => {
      const history = JSON.parse(message.data);
      const times = history.times.map(ms => ms / 1000);
      series = {requests: [times, ...history.requests], bytes: [times.slice(), ...history.bytes]};
      drawAll();
    });
    events.addEventListener("step", message => {
      if (series.requests.length > 0) {
        showStep(JSON.parse(message.data));
      }
    });
    events.addEventListener("problem", message => showProblems([JSON.parse(message.data).text], 1));
    events.addEventListener("end", () => {
      events.close();
      ended("the job has ended");
    });
    events.onerror = () => {
      if (events.readyState === EventSource.CLOSED) {
        ended("refused");
      } else {
        ended("no connection: has the job ended?");
      }
    };
  };
  const ended = words => {
    text("state", words);
    $("state").className = "badge";
  };
  $("matrix-all").addEventListener("click", () => {
    view = {level: "nodes"};
    connect();
  });
  $("matrix-level").addEventListener("click", () => {
    view = {level: $("matrix-level").textContent};
    connect();
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  window.addEventListener("resize", () => Object.values(plots).forEach(plot =>
    plot.setSize({width: plot.root.parentElement.clientWidth, height: 190})));
  connect();
})();
