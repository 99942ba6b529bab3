// An agent in JavaScript: gdl launch match.launch.py x:="external:node doc/examples/first_move.js"
const readline = require('node:readline');

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.type === 'ask') {
    console.log(JSON.stringify({ id: message.id, move: message.moves[0] }));
  }
});
