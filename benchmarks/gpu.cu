// Thousands of Gaussian filters (as in `dynamic`) over one record: on a GPU one block a filter, on a
// CPU one filter a core. To build and run it:
//
//     nvcc -O3 -arch=sm_90 -Xcompiler "-O3 -march=native -ffast-math -fopenmp" gpu.cu -o gpu && ./gpu
#include <cuda_runtime.h>
#include <omp.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
__constant__ double NODE[10], WEIGHT[10];
static const double node[10] = {-3.436159118837738, -2.532731674232790, -1.756683649299882,
                                -1.036610829789514, -0.342901327223705, 0.342901327223705,
                                1.036610829789514,  1.756683649299882,  2.532731674232790,
                                3.436159118837738};
static const double weight[10] = {
    7.640432855232621e-06, 1.343645746781233e-03, 3.387439445548106e-02, 2.401386110823147e-01,
    6.108626337353258e-01, 6.108626337353258e-01, 2.401386110823147e-01, 3.387439445548106e-02,
    1.343645746781233e-03, 7.640432855232621e-06};
__global__ void bank(int n, int contests, const int* w, const int* l, const double* sigma,
                     const double* drift, double* evidence, double* means) {
    extern __shared__ double room[];
    double *P = room, *m = P + n * n, *c = m + n;
    __shared__ double g[2];
    __shared__ double term[10][3];
    int f = blockIdx.x, t = threadIdx.x, T = blockDim.x;
    double s2 = sigma[f] * sigma[f], q = drift[f], ev = 0;
    for (int e = t; e < n * n; e += T) P[e] = (e / n == e % n) ? s2 : 0;
    for (int e = t; e < n; e += T) m[e] = 0;
    __syncthreads();
    for (int k = 0; k < contests; k++) {
        int i = w[k], j = l[k];
        for (int e = t; e < n; e += T) {
            P[e * n + e] += q;
        }
        __syncthreads();
        double v = P[i * n + i] + P[j * n + j] - 2 * P[i * n + j], d = m[i] - m[j];
        if (t < 10) {
            double sd = sqrt(v), x = d + 1.4142135623730951 * sd * NODE[t],
                   p = 1 / (1 + exp(-x)) * WEIGHT[t] * 0.5641895835477563;
            term[t][0] = p;
            term[t][1] = p * (x - d) / v;
            term[t][2] = p * ((x - d) * (x - d) / v - 1) / v;
        }
        for (int e = t; e < n; e += T) c[e] = P[e * n + i] - P[e * n + j];
        __syncthreads();
        if (t == 0) {
            double z = 0, a = 0, b = 0;
            for (int u = 0; u < 10; u++) {
                z += term[u][0];
                a += term[u][1];
                b += term[u][2];
            }
            ev += log(z);
            a /= z;
            g[0] = a;
            g[1] = a * a - b / z;
        }
        __syncthreads();
        double g1 = g[0], g2 = g[1];
        for (int e = t; e < n; e += T) m[e] += c[e] * g1;
        for (int e = t; e < n * n; e += T) P[e] -= g2 * c[e / n] * c[e % n];
        __syncthreads();
    }
    if (t == 0) evidence[f] = ev;
    for (int e = t; e < n; e += T) means[f * n + e] = m[e];
}
static double cpu_one(int n, int contests, const int* w, const int* l, double sigma, double q,
                      double* m, double* P, double* c) {
    for (int a = 0; a < n; a++) {
        m[a] = 0;
        for (int b = 0; b <= a; b++) P[a * n + b] = (a == b) ? sigma * sigma : 0;
    }
    double ev = 0;
    for (int k = 0; k < contests; k++) {
        int i = w[k], j = l[k];
        for (int a = 0; a < n; a++) P[a * n + a] += q;
        for (int a = 0; a < n; a++) {
            double x = a >= i ? P[a * n + i] : P[i * n + a],
                   y = a >= j ? P[a * n + j] : P[j * n + a];
            c[a] = x - y;
        }
        double v = c[i] - c[j], d = m[i] - m[j], sd = sqrt(v), z = 0, A = 0, B = 0;
        for (int u = 0; u < 10; u++) {
            double x = d + 1.4142135623730951 * sd * node[u],
                   p = 1 / (1 + exp(-x)) * weight[u] * 0.5641895835477563;
            z += p;
            A += p * (x - d) / v;
            B += p * ((x - d) * (x - d) / v - 1) / v;
        }
        ev += log(z);
        A /= z;
        double g2 = A * A - B / z;
        for (int a = 0; a < n; a++) m[a] += c[a] * A;
        for (int a = 0; a < n; a++) {
            double h = g2 * c[a];
            double* row = P + a * n;
            for (int b = 0; b <= a; b++) row[b] -= h * c[b];
        }
    }
    return ev;
}
int main() {
    int cases[4][3] = {{12, 600, 65536}, {40, 1500, 16384}, {100, 3000, 4096}, {160, 3000, 2048}};
    cudaMemcpyToSymbol(NODE, node, sizeof node);
    cudaMemcpyToSymbol(WEIGHT, weight, sizeof weight);
    for (auto& q : cases) {
        int n = q[0], C = q[1], F = q[2];
        std::vector<int> w(C), l(C);
        srand(1);
        for (int k = 0; k < C; k++) {
            w[k] = rand() % n;
            do l[k] = rand() % n;
            while (l[k] == w[k]);
            if (w[k] > l[k] && rand() % 4) std::swap(w[k], l[k]);
        }
        std::vector<double> s(F), dr(F), e(F), e2(F), m(F * (size_t)n);
        for (int f = 0; f < F; f++) {
            s[f] = .3 + 2.5 * (f % 50) / 50.;
            dr[f] = 1e-5 * (f % 13);
        }
        int *dw, *dl;
        double *ds, *dd, *de, *dm;
        cudaMalloc(&dw, C * 4);
        cudaMalloc(&dl, C * 4);
        cudaMalloc(&ds, F * 8);
        cudaMalloc(&dd, F * 8);
        cudaMalloc(&de, F * 8);
        cudaMalloc(&dm, F * (size_t)n * 8);
        cudaMemcpy(dw, w.data(), C * 4, cudaMemcpyHostToDevice);
        cudaMemcpy(dl, l.data(), C * 4, cudaMemcpyHostToDevice);
        cudaMemcpy(ds, s.data(), F * 8, cudaMemcpyHostToDevice);
        cudaMemcpy(dd, dr.data(), F * 8, cudaMemcpyHostToDevice);
        size_t sh = (n * n + 2 * n) * 8;
        cudaFuncSetAttribute(bank, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sh);
        double best = 1e9;
        int bt = 0;
        for (int T : {32, 64, 128, 256, 512}) {
            for (int r = 0; r < 2; r++) {
                auto a = std::chrono::steady_clock::now();
                bank<<<F, T, sh>>>(n, C, dw, dl, ds, dd, de, dm);
                cudaDeviceSynchronize();
                double x =
                    std::chrono::duration<double>(std::chrono::steady_clock::now() - a).count();
                if (r && x < best) {
                    best = x;
                    bt = T;
                }
            }
        }
        cudaMemcpy(e.data(), de, F * 8, cudaMemcpyDeviceToHost);
        int G = F / 16;
        double cpu = 1e9;
        for (int r = 0; r < 2; r++) {
            auto a = std::chrono::steady_clock::now();
#pragma omp parallel
            {
                std::vector<double> M(n), P(n * n), c(n);
#pragma omp for schedule(dynamic, 4)
                for (int f = 0; f < G; f++)
                    e2[f] = cpu_one(n, C, w.data(), l.data(), s[f], dr[f], M.data(), P.data(),
                                    c.data());
            }
            double x =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - a).count() * F / G;
            if (x < cpu) cpu = x;
        }
        double worst = 0;
        for (int f = 0; f < G; f++) worst = fmax(worst, fabs(e[f] - e2[f]));
        printf(
            "n %d contests %d filters %d: GPU %.3f s (%d threads a block), %d CPU threads %.3f s, "
            "ratio %.2f, one core %.2f us per filter and contest, GPU %.3f; largest difference of "
            "log evidence %.1e; %s\n",
            n, C, F, best, bt, omp_get_max_threads(), cpu, cpu / best,
            cpu * omp_get_max_threads() / F / C * 1e6, best / F / C * 1e6, worst,
            cudaGetErrorString(cudaGetLastError()));
        fflush(stdout);
    }
}
