// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

fetch(process.argv[2])
    .then(async response => process.stdout.write(await response.text()))
    .catch(error => { console.error(error.cause); process.exit(1); });
