// Packs the extension into gdl-env.vsix, with the version and the licence of the project.
const { copyFileSync, readFileSync } = require('fs');
const { join } = require('path');
const { createVSIX } = require('@vscode/vsce');

const root = join(__dirname, '..', '..');
const version = readFileSync(join(root, 'package.xml'), 'utf8').match(/<version>(.*)<\/version>/)[1];
copyFileSync(join(root, 'LICENSE'), join(__dirname, 'LICENSE'));
createVSIX({
  cwd: __dirname,
  version,
  updatePackageJson: false,
  dependencies: false,
  allowMissingRepository: true,
  packagePath: join(__dirname, 'gdl-env.vsix'),
}).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
