// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// revet-session, for front ends that cannot fork their session as `revet run` does: one process for each
// session, with the front end's socket as descriptor 3. Owns the box, its supervisor and its journal.

#include "engine/session/session_process.h"

int main()
{
    return revet::session::runSessionProcess();
}
