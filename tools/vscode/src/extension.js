// Starts `gdl lsp` for rule files, and runs `gdl play` and `gdl gui` in a terminal.
const { LanguageClient } = require('vscode-languageclient/node');
const vscode = require('vscode');

let client;

function command() {
  return vscode.workspace.getConfiguration('gdl').get('command') || 'gdl';
}

async function startServer() {
  client = new LanguageClient(
    'gdl',
    'Game Description Language',
    { command: command(), args: ['lsp'] },
    { documentSelector: [{ language: 'gdl' }] }
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const answer = await vscode.window.showErrorMessage(
      `The language server could not be started with the command "${command()} lsp": ${error.message}`,
      'Open settings'
    );
    if (answer) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'gdl.command');
    }
  }
}

async function stopServer() {
  const running = client;
  client = undefined;
  await running?.stop();
}

/** Run a verb of gdl on the file that is open; it is saved first. */
async function runInTerminal(verb, title) {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.document.languageId !== 'gdl') {
    vscode.window.showInformationMessage('Open a rule file first.');
    return;
  }
  if (!(await editor.document.save()) || editor.document.isUntitled) {
    vscode.window.showInformationMessage('Save the rule file first.');
    return;
  }
  const file = editor.document.uri.fsPath;
  if (/[\x00-\x1f\x7f]/.test(file)) {
    vscode.window.showErrorMessage('The name of the file has characters that a terminal would obey.');
    return;
  }
  // In a shell, so that the result stays to be read, and the command can be run again.
  const terminal = vscode.window.createTerminal({
    name: title,
    cwd: vscode.workspace.getWorkspaceFolder(editor.document.uri)?.uri,
  });
  terminal.show();
  terminal.sendText([command(), verb, file].map(quote).join(' '));
}

/** Write a word as a shell reads it. */
function quote(word) {
  if (/^[\w./:@%+=,-]+$/.test(word)) {
    return word;
  }
  return process.platform === 'win32' ? `"${word}"` : `'${word.replace(/'/g, `'\\''`)}'`;
}

exports.activate = async (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand('gdl.play', () => runInTerminal('play', 'Play')),
    vscode.commands.registerCommand('gdl.board', () => runInTerminal('gui', 'Board')),
    vscode.commands.registerCommand('gdl.restart', async () => {
      await stopServer();
      await startServer();
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration('gdl.command')) {
        await stopServer();
        await startServer();
      }
    })
  );
  await startServer();
};

exports.deactivate = stopServer;
