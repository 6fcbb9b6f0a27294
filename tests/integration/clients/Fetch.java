// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

final class Fetch {
    public static void main(String[] arguments) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(arguments[0])).build();
        System.out.print(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
    }
}
